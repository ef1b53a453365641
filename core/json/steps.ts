import { timeSlice } from './time-slices.ts'

/** Work that may be left between two steps and taken up again. */
export type Steps<T> = Generator<undefined, T, undefined>

/** A function whose work can be done in steps, too; without `steps` it is one step. */
export interface Stepped<Args extends unknown[], T> {
  (...args: Args): T
  readonly steps?: (...args: Args) => Steps<T>
}

/** Such a function, from its steps. */
export const stepped = <Args extends unknown[], T>(
  steps: (...args: Args) => Steps<T>,
): Stepped<Args, T> & { readonly steps: (...args: Args) => Steps<T> } =>
  Object.assign((...args: Args) => atOnce(steps(...args)), { steps })

/** All steps, one after the other. */
export function atOnce<T>(steps: Steps<T>): T {
  let step = steps.next()
  while (!step.done) step = steps.next()
  return step.value
}

/** Calls a function in turns of the event loop. */
export async function inTurns<Args extends unknown[], T>(run: Stepped<Args, T>, ...args: Args): Promise<T> {
  if (!run.steps) return run(...args)
  const steps = run.steps(...args)
  const yieldIfDue = timeSlice()
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value
    const wait = yieldIfDue()
    if (wait) await wait
  }
}
