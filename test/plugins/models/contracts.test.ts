import { defineModel } from 'deflector'
import { z } from 'zod'
import staticModel from '../../../plugins/models/static/index.ts'
import { checkModel } from '../../contracts/model.ts'
import { WordJudge } from '../../support/word-judge.ts'

checkModel(staticModel)

const echo = defineModel({
  name: 'echo',
  options: z.strictObject({}),
  apply: () => ({
    async write({ user }, signal) {
      signal.throwIfAborted()
      return user
    },
  }),
})

checkModel(echo)

const words = defineModel({
  name: 'words',
  options: z.strictObject({}),
  apply: () => new WordJudge(),
})

checkModel(words)
