import { wordsFrom } from 'deflector/facets/step-words'

/** The notes of this layer in words. */
export const readStep = wordsFrom({
  shortened: 'shortened what the vendor is sent',
  marked: 'marked what the vendor may cache, and shortened nothing',
  no_instructions: 'shortened nothing: the request holds no instructions that could be shortened',
  unchanged: 'shortened nothing: there is nothing to take out',
  cached: 'shortened nothing: the client has its vendor cache it, or had before',
  left_alone: 'shortened nothing: by the counts of vendors, it costs their caches more than it saves',
})
