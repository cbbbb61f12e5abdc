/** Saves texts, concatenated, as a file for the visitor. */
export function saveFile(name: string, texts: string[], type: string): void {
  const url = URL.createObjectURL(new Blob(texts, { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000); // the download starts after the click
}
