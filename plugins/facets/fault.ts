import { facet } from 'deflector'

/**
 * Offered by layers that go on without something they were given: a started one says what is wrong with it, in words for
 * an operator, and `undefined` where nothing is. `deflector check` starts these layers to ask.
 */
export const fault = facet<() => string | undefined>('fault')
