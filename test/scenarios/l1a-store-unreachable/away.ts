import { defineStore } from 'deflector'
import { z } from 'zod'

const away = (): Promise<never> => Promise.reject(new Error('connection refused'))

/** A store whose server is down. */
export default defineStore({
  name: 'away',
  options: z.strictObject({}),
  apply: () => ({ get: away, set: away, delete: away }),
})
