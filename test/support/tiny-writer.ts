import { fileURLToPath } from 'node:url'

/** Folder of the tiny language model (`npm run model:tiny`). */
export const TINY_WRITER = fileURLToPath(new URL('../fixtures/tiny-writer', import.meta.url))
