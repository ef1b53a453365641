import type { Token } from '../token.ts'
import { idfOfStem, UNKNOWN } from './idf.ts'
import { nameOf } from './names.ts'

/** Words that carry grammar rather than content. Negators, `my` and `your`, and directions are here too: guards look at them. */
export const FUNCTION_WORDS: ReadonlySet<string> = new Set(
  (
    "a an the this that these those some any i me my mine myself we us our ours you your yours he him his she her hers it its they them their theirs one 's " +
    'is am are was were be been being do does did done have has had having can could will would shall should may might must ' +
    'not no nor and or but if then else so because as than of at by for with about into onto through to from in out on off over under up down upon ' +
    'what which who whom whose when where why how there here just also too very really so such only own same more most ' +
    'please kindly thanks thank hello hi hey let get got getting ' +
    'way possible something anything someone anyone like want need know tell me show give ' +
    'while during before after between among per via within without against across ' +
    'yes ok okay well actually basically simply ever even still already yet ' +
    'etc e.g i.e'
  ).split(' '),
)

/** Function words of other languages that English does not have: enough to tell that a prompt is not English. */
const FOREIGN = new Set(
  (
    'el la los las una unos del que como cual cuando donde porque para por con sin sobre esta este muy mas puedo hacer quiero ' +
    'le les des du une et est dans pour avec sur pas que qui quoi comment pourquoi quand je tu nous vous ils elle mon votre faire ' +
    'der die das den dem ein eine einen einer und ist nicht mit auf von zu im wie warum wo wann ich du wir ihr sie mein kann machen ' +
    'il lo gli una di che non per come perche dove quando sono mio posso fare ' +
    'os uma não em como porque onde quando eu você meu posso fazer ' +
    'het een en van niet met op voor hoe waarom waar wanneer ik je wij mijn kan ' +
    'nao não pode posso quero sao são minha qual quais ' +
    'nu poate să este sunt cum ce pentru unde vreau ' +
    'jak nie czy jest sie się mogę moge gdzie dlaczego kiedy ktory ' +
    'nasil nasıl bir icin için degil değil nerede neden ' +
    'hur jag inte och är vad hvordan ikke jeg og hvad hva ' +
    'miten onko voiko voinko mikä mika että ' +
    'není neni muzu můžu proc proč kde jsou ' +
    'bagaimana tidak apakah yang saya untuk dengan'
  ).split(' '),
)
const SHARED = new Set(
  'a an in on is me no do so as we the for to of and or so am at it he how what why with you come die van den per con sin'.split(
    ' ',
  ),
)

/** Which language a function word belongs to. */
const LANGUAGES: ReadonlyMap<string, 'english' | 'foreign'> = new Map([
  ...[...FUNCTION_WORDS].map(word => [word, 'english'] as const),
  ...[...FOREIGN].filter(word => !SHARED.has(word)).map(word => [word, 'foreign'] as const),
])

/** Of English words at least one in so many is a word of grammar or one that prompts are full of. */
const KNOWN = 4
/** Fewer words than this are as often a name as they are another language. */
const FEW = 4
/** Endings that say English of a word that is not known: `chemotherapy hair loss prevention`. */
const ENDING = /.(?:[st]ion|ing|ness|ship|ful|less|ology)s?$/

/**
 * Do the rules of this folder know the language of these words? They know English. Text in another script, with more
 * function words of another language than of this one, or of words that nobody here knows, is left as it is.
 */
export function looksEnglish(text: string, tokens: readonly Pick<Token, 'kind' | 'text' | 'stem'>[]): boolean {
  if (!isLatin(text)) return false
  let words = 0
  let english = 0
  let foreign = 0
  for (const { kind, text } of tokens) {
    if (kind !== 'word') continue
    words++
    const language = LANGUAGES.get(text)
    if (language === 'english') english++
    else if (language === 'foreign') foreign++
  }
  if (foreign > 0) return english > foreign
  return words < FEW || english * KNOWN >= words || knownOf(tokens) * KNOWN >= words
}

const knownOf = (tokens: readonly Pick<Token, 'kind' | 'text' | 'stem'>[]): number =>
  tokens.filter(
    ({ kind, text, stem }) =>
      kind === 'word' &&
      (FUNCTION_WORDS.has(text) || idfOfStem(stem) < UNKNOWN || nameOf(text) !== undefined || ENDING.test(text)),
  ).length

const isLatin = (text: string): boolean => {
  if (!/[A-Za-z]/.test(text)) return false
  const others = text.match(/[^\0-\x7f]/gu)?.filter(one => /\p{L}/u.test(one)).length ?? 0
  return others === 0 || others <= (text.match(/[A-Za-z]/g)?.length ?? 0) / 9
}
