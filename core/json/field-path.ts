/** A place inside a value, as messages print it: `messages[2].content`. `base` is where `path` begins. */
export function fieldPath(path: readonly PropertyKey[], base = ''): string {
  let text = base
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`
    else text += text === '' ? String(step) : `.${String(step)}`
  }
  return text
}
