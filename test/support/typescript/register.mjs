// `--import` this instead of tsx where many processes start: it keeps what it compiled, and reads no source map.
import { register } from 'node:module'

register('./hooks.mjs', import.meta.url)
