/** Vectors as text, for stores and for the engine: float32 of this machine's order, which is little-endian, in base64. */

export const encodeVector = (vector: Float32Array): string =>
  Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64')

/** Throws where the last number is cut. */
export const decodeVector = (text: string): Float32Array =>
  new Float32Array(Uint8Array.from(Buffer.from(text, 'base64')).buffer)
