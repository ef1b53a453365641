/** How long the built-in model takes: to be ready, and for a prompt of each length. Prints medians and 99th percentiles. */
import { fileURLToPath } from 'node:url'
import { StaticModel } from '../../plugins/models/static/static-model.ts'

const began = performance.now()
const model = StaticModel.open(fileURLToPath(new URL('../../models/deflector-static-384', import.meta.url)))
console.log(`ready in ${(performance.now() - began).toFixed(0)} ms`)

const PROMPTS: Readonly<Record<string, string>> = {
  '13 words': 'How do I reset the password of my account when I lost my phone?',
  '13 words, accents': 'Comment réinitialiser le mot de passe de mon compte sans téléphone déjà enregistré, Zoë?',
  '512 tokens': 'Explain in plain words how the scheduler of the operating system chooses a process. '.repeat(40),
}
for (const [name, prompt] of Object.entries(PROMPTS)) {
  const times = Array.from({ length: 3000 }, () => {
    const start = performance.now()
    model.embed(prompt)
    return performance.now() - start
  }).sort((a, b) => a - b)
  const at = (share: number): string => ((times[Math.floor(times.length * share)] ?? 0) * 1000).toFixed(0)
  console.log(`${name}: median ${at(0.5)} us, p99 ${at(0.99)} us`)
}
