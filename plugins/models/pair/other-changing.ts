import type { Parsed } from './canonical.ts'
import type { Language } from './language.ts'
import { mentions } from './volatile.ts'

/**
 * In languages beside English a few words decide: a prompt too many refused costs a hit, and one too few a wrong
 * answer. Patterns of whole words, by why the answer would not last; `…` stands for any ending.
 */
const TABLES: Readonly<Partial<Record<Language, Readonly<Record<'time' | 'own' | 'random' | 'goesOn', string>>>>> = {
  de: {
    time: 'heute|gestern|übermorgen|morgen (?:früh|abend)|wird es morgen|jetzt|gerade|derzeit|aktuell…|momentan|neueste…|wie spät|uhrzeit|wetter…|nachrichten|diese[nrms]? (?:woche|monat|jahr|wochenende)|letzte[nrms]? (?:nacht|woche)',
    own: 'meine?[nrms]? (?:bestellung…|paket|termine?|kontostand|e-?mails?|kalender)',
    random: 'zufällig…|würfle|wirf|überrasch…',
    goesOn: 'noch (?:eine?|einen|mal)|nochmals?|wiederhole?|weiter|etwas anderes',
  },
  fr: {
    time: "aujourd'hui|demain|hier|maintenant|actuel…|en ce moment|ce (?:soir|matin|mois|week-?end)|cette (?:semaine|année|nuit)|quelle heure|météo|actualités|dernières nouvelles",
    own: 'm(?:a|on|es) (?:commandes?|colis|rendez-vous|solde|messages?|e-?mails?|agenda)',
    random: 'au hasard|aléatoire…|lance (?:un|les) dés?|surpren…',
    goesOn: 'encore une?|une? autre|répète…|continue…|autre chose',
  },
  es: {
    time: 'hoy|mañana|ayer|ahora|actual(?:es|mente)?|en este momento|esta (?:noche|semana|tarde)|este (?:mes|año|fin de semana)|qu[ée] hora|el tiempo en|noticias',
    own: 'mis? (?:pedidos?|paquete|citas?|saldo|mensajes?|correos?|calendario)',
    random: 'al azar|aleatori[oa]s?|lanza|tira (?:un|los) dados?|sorpréndeme',
    goesOn: 'otr[oa]s?|de nuevo|repite|contin[úu]a',
  },
  zh: {
    time: '今天|今日|今晚|昨天|明天|后天|现在|目前|当前|最新|最近|本周|这周|这个月|本月|今年|几点|天气|新闻',
    own: '我的(?:订单|包裹|快递|余额|预约|消息|邮件|日程)',
    random: '随机|掷骰子|抛硬币',
    goesOn: '再来|再说|再给|另一个|换一个|重复|继续|别的',
  },
}

/** Words of the tables that say something else in the language that a prompt is taken for. */
const OTHERWISE: Readonly<Partial<Record<Language, RegExp>>> = {
  en: wholeWords('wetter|actual'),
  de: wholeWords('hier'),
}

/** All tables, as the language of a few words is often guessed wrong: `cours du bitcoin` seems German. */
const CHANGING = ofTables(table => Object.values(table))
/** In a prompt that seems English: `Champions League heute`. */
const TIMES = ofTables(({ time }) => [time])

function ofTables(patterns: (table: NonNullable<(typeof TABLES)['de']>) => readonly string[]): readonly RegExp[] {
  const { zh, ...spaced } = TABLES
  const joined = Object.values(spaced).flatMap(patterns).join('|')
  // Chinese has no spaces between words.
  return [wholeWords(joined), ...(zh ? [new RegExp(patterns(zh).join('|'), 'u')] : [])]
}

function wholeWords(words: string): RegExp {
  return new RegExp(`(?<!\\p{L})(?:${words.replaceAll('…', '\\p{L}*')})(?!\\p{L})`, 'giu')
}

/**
 * Does it ask for something that changes, is the asker's own, is random or goes on from before, in words of another
 * language than English?
 */
export function asksForChange({ text, language }: Pick<Parsed, 'text' | 'language'>): boolean {
  const written = text.normalize('NFC').replaceAll('’', "'")
  const otherwise = OTHERWISE[language]
  const spelled = otherwise ? written.replace(otherwise, ' ') : written
  const isSaid = (pattern: RegExp): boolean => spelled.search(pattern) >= 0
  if (language !== 'en') return CHANGING.some(isSaid)
  return TIMES.some(isSaid) && !mentions(spelled.trim().toLowerCase())
}
