type Objective = (at: Float64Array) => { readonly value: number; readonly gradient: Float64Array }

interface Step {
  readonly moved: Float64Array
  readonly turned: Float64Array
  readonly curve: number
}

const MOST_STEPS = 200
const REMEMBERED = 10
const FLAT = 1e-5
const HALVINGS = 30
/** Share of the promised descent that a step must give (Armijo). */
const ENOUGH = 1e-4

/** Finds the least value of a smooth convex function from zero on, by L-BFGS with halved steps. */
export function minimise(objective: Objective, size: number): Float64Array {
  let at: Float64Array = new Float64Array(size)
  let here = objective(at)
  const steps: Step[] = []
  for (let step = 0; step < MOST_STEPS && norm(here.gradient) > FLAT; step++) {
    const direction = descent(here.gradient, steps)
    const slope = dot(direction, here.gradient)
    let length = steps.length === 0 ? 1 / Math.max(1, norm(here.gradient)) : 1
    let next = moved(at, direction, length)
    let there = objective(next)
    for (let halving = 0; there.value > here.value + ENOUGH * length * slope && halving < HALVINGS; halving++) {
      length /= 2
      next = moved(at, direction, length)
      there = objective(next)
    }
    if (there.value >= here.value) return at
    const delta = moved(next, at, -1)
    const turned = moved(there.gradient, here.gradient, -1)
    const curve = dot(delta, turned)
    if (curve > 0) steps.push({ moved: delta, turned, curve })
    if (steps.length > REMEMBERED) steps.shift()
    ;[at, here] = [next, there]
  }
  return at
}

/** The two loops of L-BFGS: the gradient against the curvature that the last steps met. */
function descent(gradient: Float64Array, steps: readonly Step[]): Float64Array {
  let direction: Float64Array = gradient.map(value => -value)
  const shares = new Map<Step, number>()
  for (const step of steps.toReversed()) {
    const share = dot(step.moved, direction) / step.curve
    shares.set(step, share)
    direction = moved(direction, step.turned, -share)
  }
  const last = steps.at(-1)
  if (last) {
    const factor = last.curve / dot(last.turned, last.turned)
    direction = direction.map(value => value * factor)
  }
  for (const step of steps)
    direction = moved(direction, step.moved, (shares.get(step) ?? 0) - dot(step.turned, direction) / step.curve)
  return direction
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0
  for (let at = 0; at < a.length; at++) sum += (a[at] as number) * (b[at] as number)
  return sum
}

const norm = (of: Float64Array): number => Math.sqrt(dot(of, of))

const moved = (from: Float64Array, by: Float64Array, length: number): Float64Array =>
  from.map((value, at) => value + length * (by[at] as number))
