// First word of Threefry-2x32, 20 rounds (Salmon et al. 2011); the same as tabgrad.random.threefry2x32.
fn threefry2x32(seed: u32, index: u32, draw: u32) -> u32 {
  let k1 = 0x7ab64ad5u;
  var keys = array<u32, 3>(seed, k1, seed ^ k1 ^ 0x1bd11bdau);
  var rotations = array<u32, 8>(13u, 15u, 26u, 6u, 17u, 29u, 16u, 24u);
  var x0 = index + keys[0];
  var x1 = draw + keys[1];
  for (var group = 0u; group < 5u; group++) {
    for (var step = 0u; step < 4u; step++) {
      let r = rotations[(group % 2u) * 4u + step];
      x0 += x1;
      x1 = ((x1 << r) | (x1 >> (32u - r))) ^ x0;
    }
    x0 += keys[(group + 1u) % 3u];
    x1 += keys[(group + 2u) % 3u] + group + 1u;
  }
  return x0;
}
