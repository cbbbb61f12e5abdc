// Files of the bundle that hold several things: compressed with gzip, u32 size of a header, the header as JSON, then
// the bytes that the header describes, one after another. Written by build_scripts/container.py and make_snapshot.mjs.

/**
 * @param {Response} response
 * @returns {Promise<{header: any, take: (size: number) => Uint8Array<ArrayBuffer>}>} `take` returns the next bytes
 */
export async function readContainer(response) {
  const compressed = /** @type {ReadableStream<Uint8Array<ArrayBuffer>>} */ (response.body);
  const content = await new Response(compressed.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
  const [headerSize] = new Uint32Array(content, 0, 1);
  let at = 4 + headerSize;
  return {
    header: JSON.parse(new TextDecoder().decode(new Uint8Array(content, 4, headerSize))),
    take: (size) => new Uint8Array(content, (at += size) - size, size),
  };
}
