/** What caches note of a request, in words. See `deflector/facets/step-words`. */
export const CACHE_WORDS: Readonly<Record<string, string>> = {
  miss: 'has nothing stored for it',
  stale: 'has an answer that is too old',
  stored: 'stored the answer',
  store_failed: 'could not store the answer',
  not_wanted: 'was left out, as the client or the settings ask for it',
  not_storable: 'did not store the answer, which is not one to keep',
  not_replayable: 'has an answer that cannot be sent in the form that was asked for',
  not_held: 'has an answer whose state its vendor no longer holds',
  vendor_state: 'was left out: the request is about state or a check at a vendor, or has it act',
  of_this_run: 'did not store the answer, which holds for this run of the tool only',
}
