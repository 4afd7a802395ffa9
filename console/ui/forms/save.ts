/** Downloads a text as a file. */
export function saveText(fileName: string, text: string, type = 'text/plain'): void {
  saveBlob(fileName, new Blob([text], { type: `${type};charset=utf-8` }));
}

export function saveBlob(fileName: string, blob: Blob): void {
  const url = URL.createObjectURL(blob);
  saveAddress(url, fileName);
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

export function saveAddress(url: string, fileName = ''): void {
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
}
