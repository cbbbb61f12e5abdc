// What the executor reads of a program: the JSON of `tabgrad.program.Program.to_json`, whose instructions it needs not.

/** @typedef {[buffer: number, offset: number, sizeBytes: number, access: "read" | "read_write"]} Binding */

/**
 * @typedef {object} Dispatch
 * @property {number} shader index into `shaders`
 * @property {string} label
 * @property {Binding[]} bindings at `@binding(0..n-1)`
 * @property {boolean} uses_scalars the scalars are a uniform at `@binding(n)`
 * @property {[number, number, number]} workgroups
 */

/**
 * @typedef {object} Program
 * @property {{size_bytes: number, role: string, label: string}[]} buffers
 * @property {string[]} shaders
 * @property {Dispatch[]} dispatches
 * @property {string[]} scalars dtypes, of four bytes each
 */

/**
 * What a dispatch binds, as text: `"r,rw|s"` is a read-only buffer, a writable one and the scalars.
 * @param {Dispatch} dispatch
 */
export function signatureOf(dispatch) {
  const accesses = dispatch.bindings.map((binding) => (binding[3] === "read" ? "r" : "rw"));
  return accesses.join(",") + (dispatch.uses_scalars ? "|s" : "|");
}

/**
 * Size of a program's scalars buffer, as `tabgrad.program.scalars_bytes`: the words after the numbers stay 0.
 * @param {number} numScalars
 */
export function scalarsBytes(numScalars) {
  return 16 * (Math.floor(numScalars / 4) + 1);
}
