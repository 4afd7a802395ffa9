/** The longer side to which a picture is scaled down for the search, in pixels: phone photos are larger than necessary. */
const SIDE_MAX = 1_600;

/** The largest text file to read, in bytes. */
const TEXT_MAX = 64 * 1024;

/** The text of a QR code in a picture; null if none is found. */
export async function readQr(
  picture: CanvasImageSource,
  width: number,
  height: number,
): Promise<string | null> {
  if (width === 0 || height === 0) return null;
  const { decodeQR } = await import('qr/decode.js');
  const scale = Math.min(1, SIDE_MAX / Math.max(width, height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (!context) return null;
  context.drawImage(picture, 0, 0, canvas.width, canvas.height);
  try {
    return decodeQR(context.getImageData(0, 0, canvas.width, canvas.height));
  } catch {
    return null;
  }
}

/**
 * Returns the text of a file; for a picture, the text of its QR code.
 * @returns null for a picture without a code, and for a text file that is too large
 */
export async function readTextOf(file: File): Promise<string | null> {
  if (!file.type.startsWith('image/')) return file.size <= TEXT_MAX ? file.text() : null;
  const picture = await createImageBitmap(file).catch(() => null);
  if (!picture) return null;
  try {
    return await readQr(picture, picture.width, picture.height);
  } finally {
    picture.close();
  }
}
