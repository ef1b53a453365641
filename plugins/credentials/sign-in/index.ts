import { copilot } from './copilot.ts'
import { gemini } from './gemini.ts'
import { kiro } from './kiro.ts'
import type { SignIn } from './sign-in.ts'

/** The vendors that people sign in to; all others have keys. */
export const signIns: ReadonlyMap<string, SignIn> = new Map([copilot, gemini, kiro].map(one => [one.name, one]))
