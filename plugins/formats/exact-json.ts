export { ExactNumber, exactJson, parseExact } from 'deflector'
