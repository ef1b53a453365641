import type { JsonObject, LastTurn } from 'deflector'
import { lastTurnIn } from '../last-turn.ts'

export const lastTurn = (body: JsonObject): LastTurn | undefined =>
  lastTurnIn(body, { turns: 'contents', content: 'parts', textType: undefined })
