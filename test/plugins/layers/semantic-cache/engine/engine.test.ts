import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Portable } from 'deflector'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { systemClock } from '../../../../../core/clock.ts'
import { hostLog } from '../../../../../core/host-log.ts'
import { Engine, type Wanted } from '../../../../../plugins/layers/semantic-cache/engine/engine.ts'
import type { Result } from '../../../../../plugins/layers/semantic-cache/engine/lookups.ts'
import type { Parts } from '../../../../../plugins/layers/semantic-cache/engine/messages.ts'
import { Entries } from '../../../../../plugins/layers/semantic-cache/entries.ts'
import { encodeVector } from '../../../../../plugins/layers/semantic-cache/vector-text.ts'
import { StaticModel } from '../../../../../plugins/models/static/static-model.ts'
import { ManualClock } from '../../../../contracts/clock.ts'
import { until } from '../../../../support/until.ts'
import { Gate, WordJudge, type WordJudgeOptions } from '../../../../support/word-judge.ts'

const folder = fileURLToPath(new URL('../../../../../models/deflector-static-384', import.meta.url))
const embedder: Portable = {
  module: new URL('../../../../../plugins/models/static/portable.ts', import.meta.url).href,
  options: { folder },
}
const judge = (options: WordJudgeOptions = {}): Portable | undefined => new WordJudge(options).portable

interface Bench {
  readonly engine: Engine
  readonly entries: Entries
  readonly warned: string[]
  /** Stores a text; gives its handle. */
  add(text: string, vector?: Float32Array): number
  ask(text: string, more?: Partial<Wanted>, waitMs?: number): Promise<Result>
}

const opened: Engine[] = []
const gates: Gate[] = []
test.after.each(() => {
  for (const engine of opened.splice(0)) engine.close()
  for (const gate of gates.splice(0)) gate.remove()
})

async function bench(parts: Parts = { embedder, judge: judge() }, clock = systemClock): Promise<Bench> {
  const warned: string[] = []
  const warn = (message: string): void => void warned.push(message)
  const engine = new Engine({ parts, clock, log: hostLog({ debug: warn, info: warn, warn, error: warn }, clock) })
  opened.push(engine)
  const entries = new Entries({ max_entries: 20_000, max_bytes: 1 << 30 }, () => 0)
  entries.setIndex(engine)
  await engine.start()
  let handle = 0
  return {
    engine,
    entries,
    warned,
    add(text, vector) {
      const canonical = String(entries.size)
      const bare = { id: text, partition: 'p', canonical, text, comparable: true, freshUntil: 1000 }
      entries.set(vector ? { ...bare, vector } : bare)
      handle++
      return handle
    },
    async ask(text, more, waitMs = 5000) {
      const partition = entries.partition('p')?.number ?? 1
      const wanted = { partition, judging: 'first', most: 8, least: 0.5, bar: 0.7, now: 0, excluded: [], text } as const
      return engine.lookup({ ...wanted, ...more }, waitMs)
    },
  }
}

/** An engine whose judge waits at a gate, and a clock that stands still. */
async function gated() {
  const [gate, clock] = [new Gate(), new ManualClock()]
  gates.push(gate)
  const made = await bench({ embedder, judge: judge({ gate: gate.folder }) }, clock)
  made.add(CANCEL)
  const judged = (): number => gate.asked().filter(asked => asked === REWORDED).length
  return { ...made, gate, clock, judged }
}

/** Handle and reason of each entry that was considered. */
const seen = (result: Result): unknown =>
  typeof result === 'string' ? result : result.map(({ handle, reason = '' }) => [handle, reason])

const CANCEL = 'How do I cancel my gym membership plan?'
const REWORDED = 'How can I cancel the gym membership plan that I have?'

test('finds an entry in other words, with its similarity and probability', async () => {
  const { add, ask } = await bench()
  const handle = add(CANCEL)
  const [first, ...more] = (await ask(REWORDED)) as Exclude<Result, string>
  assert.equal(more, [])
  assert.is(first?.handle, handle)
  assert.is(first?.probability, 1)
  assert.ok(first && first.similarity > 0.8 && first.similarity < 1)
})

test('says which rule refused, goes on to the next candidate and ends at the first hit', async () => {
  const { add, ask } = await bench()
  const [opposite, same] = [
    add('How do I disable dark mode in the settings?'),
    add('good morning everyone, many thanks in advance: enable dark mode settings'),
  ]
  add('unlike: why is the sky blue')
  const found = seen(await ask('How do I enable dark mode in the settings?'))
  assert.equal(found, seenOf([opposite, 'opposites'], [same, '']))
})
const seenOf = (...considered: (readonly [number, string])[]): unknown => considered.map(one => [...one])

test('judges all candidates, or none, where that is wanted', async () => {
  const { add, ask } = await bench()
  for (const end of ['', ' at once', ' tomorrow']) add(CANCEL + end)
  assert.is(((await ask(REWORDED, { judging: 'all' })) as unknown[]).length, 3)
  assert.is(((await ask(REWORDED, { judging: 'first' })) as unknown[]).length, 1)
  const unjudged = (await ask(REWORDED, { judging: 'none' })) as Exclude<Result, string>
  assert.ok(unjudged.length === 3 && unjudged.every(({ probability }) => probability === 1))
})

test('passes over what is excluded, expired, removed, or of another partition', async () => {
  const { add, ask, entries, engine } = await bench()
  const [one, two] = [add(CANCEL), add(`${CANCEL} please`)]
  assert.equal(seen(await ask(REWORDED, { excluded: [one] })), [[two, '']])
  assert.equal(seen(await ask(REWORDED, { partition: 77 })), [])
  assert.equal(seen(await ask(REWORDED, { partition: 0 })), [], '0 is none')
  entries.delete('p', '0')
  assert.equal(seen(await ask(REWORDED)), [[two, '']])
  assert.equal(seen(await ask(REWORDED, { now: 1000 })), [])
  engine.clear()
  assert.equal(seen(await ask(REWORDED)), [])
})

test('takes the vector that comes along where the embedder stays in the gateway', async () => {
  const { add, ask } = await bench({ judge: judge() })
  const model = StaticModel.open(folder)
  const handle = add(CANCEL, model.embed(CANCEL))
  assert.equal(seen(await ask(REWORDED, { vector: encodeVector(model.embed(REWORDED)) })), [[handle, '']])
  assert.is(await ask(REWORDED), 'failed', 'without one it can do nothing')
})

test('a lookup that is late is over, and the next one is answered', async () => {
  const { ask, gate, clock, judged } = await gated()
  gate.close()
  const results: Result[] = []
  const asking = ask(REWORDED, {}, 30).then(result => results.push(result))
  await until('it is judged', () => judged() === 1)
  await clock.advance(29)
  await nextTurn()
  assert.equal(results, [])
  await clock.advance(1)
  await asking
  assert.equal(results, ['busy'])
  const next = ask(REWORDED)
  gate.open()
  assert.is(((await next) as unknown[]).length, 1)
})

test('refuses at once what would wait too long, and never when it is idle', async () => {
  const { ask, gate, clock, judged } = await gated()
  const [LONG, SHORT] = [60_000, 20]
  gate.close()
  const slow = ask(REWORDED, {}, LONG)
  await clock.advance(30)
  gate.open()
  await slow
  gate.close()
  const first = ask(REWORDED, {}, SHORT)
  await until('it is judged', () => judged() === 2)
  const more = [ask(REWORDED, {}, LONG), ask(REWORDED, {}, LONG)]
  const refused: Result[] = []
  for (let i = 0; i < 12; i++) void ask(REWORDED, {}, SHORT).then(result => refused.push(result))
  // Nothing is answered and the clock stands still: only a refusal at once can end them.
  await nextTurn()
  assert.equal(refused, Array(12).fill('busy'))
  gate.open()
  for (const result of await Promise.all([first, ...more])) assert.is(result.length, 1)
  assert.is(((await ask(REWORDED, {}, SHORT)) as unknown[]).length, 1)
})

test('works on nothing that nobody awaits', async () => {
  const { ask, gate, clock, judged } = await gated()
  gate.close()
  const asking = Array.from({ length: 30 }, () => ask(REWORDED, {}, 20))
  await until('the first is judged', () => judged() === 1)
  await clock.advance(20)
  assert.equal(new Set(await Promise.all(asking)), new Set(['busy']))
  const last = ask('why is the sky blue', { least: 0.95 })
  // What is forgotten is on its way a turn later.
  await nextTurn()
  gate.open()
  assert.equal(await last, [])
  assert.ok(judged() < 10, `${judged()} of thirty were judged`)
})

test('an engine that is killed under load fails no lookup, and is rebuilt', async () => {
  const clock = new ManualClock()
  const { add, ask, engine, warned } = await bench(undefined, clock)
  const handles = Array.from({ length: 300 }, (_, i) => add(`${CANCEL} number ${i}`))
  const found = async (number: number): Promise<boolean> =>
    JSON.stringify(seen(await ask(`${CANCEL} number ${number}`))) === JSON.stringify([[handles[number], '']])
  await until('all are indexed', () => found(299))
  const pid = engine.pid ?? 0
  const ended = new Set<string>()
  let answered = 0
  let on = true
  const load = Array.from({ length: 8 }, async () => {
    while (on) {
      const result = await ask(`${CANCEL} number 17`, {}, 50)
      if (typeof result === 'string') ended.add(result)
      else answered++
      await nextTurn()
    }
  })
  await until('some are answered', () => answered >= 50)
  process.kill(pid, 'SIGKILL')
  await until('it is down', () => engine.state === 'down')
  await until('a lookup sees it', () => ended.has('down'))
  const before = answered
  await clock.advance(1000)
  await until('it is up', () => engine.state === 'up')
  await until('some are answered again', () => answered >= before + 50)
  on = false
  await Promise.all(load)
  assert.not.ok(ended.has('failed'))
  assert.not.equal(engine.pid, pid)
  await until('it has all entries again', async () => (await found(17)) && (await found(299)))
  assert.is(warned.length, 2, warned.join('; '))
})

test('an engine that hangs is replaced', async () => {
  const clock = new ManualClock()
  const { add, ask, engine } = await bench(undefined, clock)
  add(CANCEL)
  const pid = engine.pid
  const hanging = ask(`${CANCEL} hang`, {}, 30)
  await clock.advance(30)
  assert.is(await hanging, 'busy')
  await clock.advance(6000)
  const next = ask(REWORDED, {}, 30)
  await clock.advance(30)
  assert.ok(['busy', 'down'].includes(String(await next)))
  await until('it is down', () => engine.state === 'down')
  await clock.advance(1000)
  await until('it is up', () => engine.state === 'up')
  assert.not.equal(engine.pid, pid)
  assert.is(((await ask(REWORDED)) as unknown[]).length, 1)
})

test('one that dies again and again is restarted ever less often', async () => {
  const clock = new ManualClock()
  const { add, ask, engine } = await bench(undefined, clock)
  add(CANCEL)
  for (const pause of [1000, 2000, 4000]) {
    assert.is(await ask(`${CANCEL} crash`), 'down')
    await until('it is down', () => engine.state === 'down')
    await clock.advance(pause - 1)
    assert.is(engine.state, 'down')
    await clock.advance(1)
    await until('it is up', () => engine.state === 'up')
  }
})

test('where a model cannot be made it says so once, with a remedy, and finds nothing', async () => {
  const { engine, ask, warned } = await bench({
    embedder,
    judge: judge({ broken: `no native runtime for this machine: install one. ${'Really. '.repeat(1000)}` }),
  })
  assert.is(engine.state, 'unready')
  assert.is(await ask(REWORDED), 'down')
  assert.is(warned.length, 1)
  assert.match(warned[0] ?? '', /in other words: no native runtime for this machine: install one\. Really/)
  assert.ok((warned[0] ?? '').length < 1200)
})

test('a model that cannot be made for a while is made later, where it could be made before', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'engine-'))
  try {
    const missing = join(folder, 'missing')
    writeFileSync(missing, '')
    const clock = new ManualClock()
    const { engine, add, ask } = await bench({ embedder, judge: judge({ needs: missing }) }, clock)
    add(CANCEL)
    rmSync(missing)
    process.kill(engine.pid ?? 0, 'SIGKILL')
    await until('it is down', () => engine.state === 'down')
    await clock.advance(1000)
    await until('it is down again', () => engine.state === 'down')
    writeFileSync(missing, '')
    await clock.advance(2000)
    await until('it is up', () => engine.state === 'up')
    assert.is(((await ask(REWORDED)) as unknown[]).length, 1)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('an engine that is used again, after another one, has all entries', async () => {
  const { add, ask, entries, engine } = await bench()
  add(CANCEL)
  assert.is(((await ask(REWORDED)) as unknown[]).length, 1)
  const { engine: other } = await bench()
  entries.setIndex(other)
  assert.equal(await ask(REWORDED), [])
  entries.setIndex(engine)
  assert.is(((await ask(REWORDED)) as unknown[]).length, 1)
})

test('many new entries at once delay no lookup, and are all found in the end', async () => {
  const { add, ask } = await bench(undefined, new ManualClock())
  const texts = Array.from({ length: 3000 }, (_, i) => `${CANCEL} number ${i}`)
  const last = texts.map(text => add(text)).at(-1)
  const isLastFound = async (): Promise<boolean> => {
    const found = await ask(texts.at(-1) ?? '', { judging: 'none', least: 0.9999 })
    return typeof found !== 'string' && found.some(({ handle }) => handle === last)
  }
  assert.equal(await ask('why is the sky blue', { least: 0.95 }), [])
  assert.not.ok(await isLastFound(), 'the lookup went before it')
  await until('all are indexed', isLastFound)
})

test('an engine that was closed answers nobody and starts no more', async () => {
  const { ask, engine } = await bench()
  const asking = ask(REWORDED)
  engine.close()
  assert.is(await asking, 'down')
  assert.is(await ask(REWORDED), 'down')
  await engine.start()
  assert.is(engine.state, 'closed')
})

test.run()
