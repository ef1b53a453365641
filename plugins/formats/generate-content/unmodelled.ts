import { isObject, type JsonObject } from 'deflector'

/**
 * What of a candidate the canonical shape has no place for, each in a few words. Whole answers and streams are read by the
 * same rules: an answer of which a part would be lost is never replayed from its canonical form.
 */
export function lostFromCandidate(candidate: JsonObject): string[] {
  const { groundingMetadata, urlContextMetadata } = candidate
  return [
    // Its words have to be shown beside the answer, as the vendor's terms ask for.
    ...(isObject(groundingMetadata) && isFilled(groundingMetadata.searchEntryPoint) ? ['search suggestions'] : []),
    ...(isObject(groundingMetadata) && isFilled(groundingMetadata.webSearchQueries) ? ['search queries'] : []),
    ...(isFilled(urlContextMetadata) ? ['pages that were read'] : []),
  ]
}

const isFilled = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 : isObject(value) && Object.keys(value).length > 0
