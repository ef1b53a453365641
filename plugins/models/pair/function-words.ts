import { wordSet } from './word-set.ts'

/** Words that carry grammar rather than content, and those that prompts are full of. */
export const ENGLISH = wordSet(
  'a an the this that these those some any i me my mine myself we us our ours you u your yours he him his she her hers it its they them their ' +
    "theirs one 's is am are was were be been being do does did done have has had having can could will would shall should may might must " +
    'not no nor and or but if then else so because as than of at by for with about into onto through to from in out on off over under up ' +
    'down upon what which who whom whose when where why how there here just also too very really such only own same more most ' +
    'please kindly thanks thank hello hi hey let get got getting way something anything someone anyone like want need know tell me ' +
    'show give while during before after between among per via within without against across yes ok okay well even still already yet',
)

export const GERMAN = wordSet(
  'der das dem ein eine einen einem einer und ist sind nicht kein keine mit auf von vom zu zum zur im wie warum wo wann ' +
    'wer welche welcher welches ich du wir ihr sie mein meine dein kann kannst machen für über bitte mir mich wird werden sich gibt aus bei nach',
)
export const FRENCH = wordSet(
  'le la les des du une et est sont dans pour avec sur pas que qui quoi pourquoi quand où je tu nous vous ils elle mon votre ' +
    'quel quelle quels quelles faire ce cette ces moi',
)
export const SPANISH = wordSet(
  'el los las unos del que qué como cómo cual cuál cuando cuándo donde dónde porque para por sobre esta este muy mas más puedo hacer ' +
    'quiero una quién cuánto cuántos puede',
)
/** Chinese has no spaces; kana tell Japanese from it. */
export const CHINESE = /^(?!.*[\u3040-\u30ff]).*\p{Script=Han}/su
/** Words that beg and say nothing else. */
export const PLEAS = wordSet('please kindly pls plz')
