/**
 * Resolves relative addresses against the page's, as in the page: a worker made from a blob has no address to resolve
 * them against.
 */
export function resolveAddresses(base: string): void {
  const { fetch } = self;
  self.fetch = async (input, init) => fetch(typeof input === "string" ? new URL(input, base) : input, init);
  const { open } = XMLHttpRequest.prototype;
  XMLHttpRequest.prototype.open = function (method: string, url: string | URL, ...rest: unknown[]): void {
    Reflect.apply(open, this, [method, new URL(url, base), ...(rest.length ? rest : [true])]);
  };
}
