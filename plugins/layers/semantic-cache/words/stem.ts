/** Words that end like an inflected one and are none. */
const FIXED = new Set(
  (
    'windows news aws kubernetes redis series jenkins sass less css macos ios https dns always does this was has is as us ' +
    'thus plus bus gas lens yes its his ours yours theirs across unless perhaps besides thing things something anything ' +
    'nothing everything during bring string ring king spring sing wing need feed speed seed bed red shed indeed species ' +
    'status virus bonus focus analysis basis axis mathematics physics politics economics ethics athletics pants scissors ' +
    'atlas texas paris james jesus mars venus sales pandas keras postgres kafkas alias bias canvas christmas business ' +
    'process access address class pass less express wireless wordpress ceiling evening morning hundred'
  ).split(' '),
)
const IRREGULAR: ReadonlyMap<string, string> = new Map(
  (
    'people:person children:child men:man women:woman mice:mouse feet:foot teeth:tooth indices:index matrices:matrix vertices:vertex ' +
    'criteria:criterion went:go gone:go made:make got:get gotten:get bought:buy sent:send lost:lose found:find ran:run wrote:write ' +
    'written:write took:take taken:take gave:give given:give told:tell said:say paid:pay kept:keep left:leave built:build done:do ' +
    'did:do does:do has:have had:have was:be were:be is:be are:be am:be been:be being:be broke:break broken:break chose:choose ' +
    'chosen:choose stolen:steal stole:steal spoke:speak spoken:speak began:begin begun:begin knew:know known:know thought:think ' +
    'brought:bring caught:catch taught:teach held:hold met:meet meant:mean won:win spent:spend sold:sell forgot:forget ' +
    'forgotten:forget better:good best:good worse:bad worst:bad lives:live wives:wife knives:knife leaves:leave data:data dying:die lying:lie tying:tie'
  )
    .split(' ')
    .map(row => {
      const [word = '', root = ''] = row.split(':')
      return [word, trimE(root)] as const
    }),
)
const VOWEL = /[aeiouy]/
/** With what the endings end that are cut: `-s`, `-ing`, `-ed` and the silent e. Most words end otherwise. */
const LAST = 'sgde'

/**
 * A word without its inflection: plural, third person, -ing, -ed and a silent e. It makes one key of what is one word
 * and no more; it is not a dictionary form.
 */
export function stem(word: string): string {
  const known = IRREGULAR.get(word)
  if (known !== undefined) return known
  if (word.length <= 3 || !LAST.includes(word.charAt(word.length - 1)) || FIXED.has(word)) return word
  return trimE(withoutEnding(singular(word)))
}

/** Plural s off, and nothing else. */
function singular(word: string): string {
  if (!word.endsWith('s') || /(?:ss|us|is|'s)$/.test(word)) return word
  if (word.endsWith('ies') && word.length > 4) return `${word.slice(0, -3)}y`
  if (/(?:[sxz]|ch|sh)es$/.test(word))
    return word.endsWith('sses') || !/[sz]es$/.test(word) ? word.slice(0, -2) : word.slice(0, -1)
  return word.slice(0, -1)
}

function withoutEnding(word: string): string {
  const cut = word.endsWith('ing') ? 3 : word.endsWith('ied') ? 0 : word.endsWith('ed') ? 2 : 0
  if (word.endsWith('ied') && word.length > 4) return `${word.slice(0, -3)}y`
  const rest = word.slice(0, word.length - cut)
  if (cut === 0 || rest.length < 3 || !VOWEL.test(rest)) return word
  const last = rest.at(-1) ?? ''
  return rest.length > 3 && last === rest.at(-2) && !'aeioulsz'.includes(last) ? rest.slice(0, -1) : rest
}

function trimE(word: string): string {
  return word.length > 4 && word.endsWith('e') && !word.endsWith('ee') ? word.slice(0, -1) : word
}
