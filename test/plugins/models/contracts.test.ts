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
    model: 'echo-1',
    async write({ turns, maxTokens }, cancellation) {
      cancellation?.throwIfCancelled()
      const words = (turns.at(-1)?.text ?? '').split(' ')
      return { text: words.slice(0, maxTokens).join(' '), finish: words.length > maxTokens ? 'length' : 'stop' }
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
