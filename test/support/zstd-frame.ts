/** Frames of zstd, written by hand: Node 20 has no encoder. */
export const ZSTD_HEAD = [0x28, 0xb5, 0x2f, 0xfd]
/** A window of 128 KiB. */
export const SMALL_WINDOW = 7 << 3

/** A block's head: its kind (0 as it stands, 1 one byte again and again), its length, whether it is the last. */
export const zstdBlock = (kind: number, length: number, isLast: boolean, ...bytes: number[]): number[] => {
  const head = (length << 3) | (kind << 1) | Number(isLast)
  return [head & 255, (head >> 8) & 255, (head >> 16) & 255, ...bytes]
}

export const zstdFrame = (window: number, ...blocks: number[][]): Buffer =>
  Buffer.from([...ZSTD_HEAD, 0, window, ...blocks.flat()])

/** Four bytes that become 128 KiB, over and over. */
export const zstdBomb = (blocks: number): Buffer =>
  zstdFrame(
    SMALL_WINDOW,
    ...Array.from({ length: blocks }, (_, at) => zstdBlock(1, 128 << 10, at === blocks - 1, 0x20)),
  )
