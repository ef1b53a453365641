"""Changes to a prompt, made from tables: harmless ones, which keep its answer, and harmful ones, which do not."""

import re
from collections import defaultdict

from text import FUNCTION, words

# --- harmless -------------------------------------------------------------------------------------------------------

_HOW = re.compile(
    r"^(?:how (?:do|can|could|would|should) (?:i|you|we|one)|how to|what is the (?:best |easiest )?way to|what's the (?:best )?way to|"
    r"is there (?:a|any) way to|can you (?:tell|show) me how to|show me how to|i (?:want|need|would like) to know how to)\s+(.+)$",
    re.I,
)
HOW_FORMS = (
    "how do I {}?", "How can I {}?", "how to {}", "what is the way to {}?", "What's the best way to {}?", "ways to {}",
    "how would one {}?", "steps to {}", "show me how to {}", "explain how to {}", "I need to know how to {}",
    "can you tell me how to {}?", "how does one {}?", "I'm trying to {}, how do I do that?", "what do I have to do to {}?",
    "guide to {}", "instructions to {}", "I want to {}", "need to {}", "{}: how?", "I'd like to {}. How?",
    "tell me how I can {}", "what steps do I follow to {}?", "How should one {}?",
)
_WHAT = re.compile(r"^(?:what is|what's|what are|define|explain|what does)\s+(?:an? |the )?([\w +#.'-]+?)(?: mean)?\??$", re.I)
WHAT_FORMS = (
    "what is {}?", "What's {}?", "what does {} mean?", "define {}", "explain {}", "meaning of {}", "{} meaning", "definition of {}",
    "can you explain {}?", "tell me what {} is", "what do people mean by {}?", "I don't know what {} is", "{}: definition",
    "describe {}", "explain {} to me", "what exactly is {}?",
)
_BETWEEN = re.compile(r"^(?:what(?:'s| is| are) the )?(?:main )?differences? between (.+?) and (.+?)\??$", re.I)
BETWEEN_FORMS = (
    "difference between {} and {}", "What is the difference between {} and {}?", "{} vs {}", "how does {} differ from {}?",
    "{} versus {}: what differs?", "compare {} and {}", "How are {} and {} different?", "what distinguishes {} from {}?",
    "In which ways does {} differ from {}?", "explain the differences between {} and {}", "{} compared with {}",
)
_ORDER = re.compile(
    r"^(list|show|display|find|create|delete|remove|print|start|stop|install|update|search|open|add|rename|copy|convert|generate|"
    r"set|get|run|check|count|sort|replace|extract|move|download|export|import|write|build|enable|disable|change|compress)\b\s+(.+)$", re.I)
ORDER_FORMS = (
    "how do I {} {}?", "how to {} {}", "I want to {} {}", "{} {} please", "please {} {}", "could you {} {}?", "command to {} {}",
    "what is the command to {} {}?", "which command will {} {}?", "I need to {} {}", "can you {} {}", "way to {} {}",
    "help me {} {}", "What can I use to {} {}?", "need a command that can {} {}",
)
SYNONYMS = [
    line.split("|")
    for line in """delete|remove|get rid of
show|display|view
find|search for|locate|look for
create|make
folder|directory
begin|start
big|large
buy|purchase
fix|repair
obtain|get
picture|photo|image
movie|film
kids|children
need|require
use|utilize
change|modify|alter
allowed|permitted
mandatory|required|compulsory
car|automobile
doctor|physician
quick|fast
choose|select|pick
speak to|talk to
contact|get in touch with|reach
phone number|telephone number
job application|application for a job
immediately|right away|at once
usually|normally|typically
wrong|incorrect
correct|right
happen|occur
permit|allow
receive|get
build|construct
attempt|try
verify|check
reply|answer|respond
error|failure
sign up|register
log in|sign in
log out|sign out
website|site
app|application
info|information
photo|picture
money back|refund
vacation|holiday
apartment|flat
mobile|cell phone
prevent|avoid
employ|use
explain|describe
terminate|end
shut down|turn off
switch on|turn on
each|every
function|method
text file|txt file
main|principal
improve|better|make better
cost|price
invoice|bill
learn|study
lower|reduce|decrease
raise|increase
also|as well
near|close to
many|lots of
several|a number of
entire|whole
current folder|current directory
quit|exit
whole|complete
symptom|sign
benefit|advantage
drawback|disadvantage
reason for|cause of
sick|ill
tired|exhausted
cheap|inexpensive
fewer than|less than
more than|over
larger than|bigger than|greater than
not working|broken|does not work
cannot|can't|am not able to
do not|don't
does not|doesn't
is not|isn't
what is|what's
i am|i'm
how is|how's""".splitlines()
]
_BY_WORD = [(re.compile(rf"\b{re.escape(w)}\b", re.I), [x for x in group if x != w]) for group in SYNONYMS for w in group]
BEFORE = (
    "please ", "Please, ", "hi, ", "Hello! ", "hey, ", "quick question: ", "can you tell me ", "could you help me: ", "I have a question. ",
    "so ", "ok, ", "I was wondering, ", "just wondering: ", "hey there, ", "Good morning, ", "sorry, ", "tell me: ", "urgent: ", "um, ",
)
AFTER = (
    " please", " thanks", " Thank you!", " thanks in advance", ", please?", " cheers", " thx", ", any idea?", " I appreciate it.", " pls",
    ", if you don't mind", ", can you help?", " asap", ", thank you so much",
)


def _lower_first(text: str) -> str:
    return text[:1].lower() + text[1:] if text[1:2].islower() or text[1:2] == " " else text


def _clean(text: str) -> str:
    return text.strip().rstrip("?.! ").strip()


def reframe(text: str, rng) -> str | None:
    """The same question in another sentence form, or None where the form is not known."""
    line = _clean(text)
    if m := _BETWEEN.match(line):
        a, b = m[1], m[2]
        # A comparison has no first and second.
        return rng.choice(BETWEEN_FORMS).format(*((b, a) if rng.random() < 0.4 else (a, b)))
    if m := _HOW.match(line):
        if len(m[1].split()) > 1:
            return rng.choice(HOW_FORMS).format(m[1])
    if m := _WHAT.match(line):
        if 0 < len(m[1].split()) <= 3 and not re.search(r"\b(?:my|your|best|difference|most)\b", m[1], re.I):
            return rng.choice(WHAT_FORMS).format(m[1])
    if m := _ORDER.match(line):
        if len(m[2].split()) > 1:
            return rng.choice(ORDER_FORMS).format(m[1].lower(), m[2])
    return None


def has_form(text: str) -> bool:
    """Is it a question or an order that `reframe` knows?"""
    line = _clean(text)
    return any(form.match(line) for form in (_BETWEEN, _HOW, _WHAT, _ORDER))


def synonym(text: str, rng) -> str | None:
    fits = [(p, others) for p, others in _BY_WORD if p.search(text)]
    if not fits:
        return None
    pattern, others = rng.choice(fits)
    return pattern.sub(rng.choice(others), text, count=1)


_FRONT = re.compile(r"^(.{12,}?) ((?:in|on|with|using) (?:[A-Za-z+#.]+(?: \d+)?|my [a-z]+|the [a-z]+|windows \d+))\??$", re.I)


def front(text: str, rng) -> str | None:
    """`how do I sort a list in python` <-> `in python, how do I sort a list`."""
    if m := _FRONT.match(_clean(text)):
        return f"{m[2]}{rng.choice((', ', ': ', ' '))}{_lower_first(m[1])}"
    return None


def articles(text: str, rng) -> str | None:
    fits = list(re.finditer(r"\b(?:the|an?) (?=[a-z])", text))
    if not fits:
        return None
    if rng.random() < 0.6:
        m = rng.choice(fits)
        return text[: m.start()] + text[m.end():]
    return re.sub(r"\b(?:the|an?) (?=[a-z])", "", text)


def manners(text: str, rng) -> str:
    roll = rng.random()
    line = _clean(text) if rng.random() < 0.7 else text
    if roll < 0.45:
        return rng.choice(BEFORE) + _lower_first(line)
    if roll < 0.85:
        return line + rng.choice(AFTER)
    return rng.choice(BEFORE) + _lower_first(line) + rng.choice(AFTER)


def keywords(text: str, rng) -> str | None:
    """What people type into a search field: the words that matter, in order."""
    line = _clean(text)
    if not (_HOW.match(line) or _WHAT.match(line) or _ORDER.match(line)):
        return None
    kept = [w for w in line.split() if w.lower() not in {
        "how", "do", "i", "to", "the", "a", "an", "is", "are", "what", "can", "of", "does", "you", "my", "please", "should", "we", "there", "way"}]
    return " ".join(kept).lower() if 2 <= len(kept) < len(line.split()) else None


def slip(text: str, rng) -> str | None:
    """One slip of the finger in a long word."""
    fits = [m for m in re.finditer(r"\b[a-z]{6,}\b", text)]
    if not fits:
        return None
    m = rng.choice(fits)
    at = rng.randrange(m.start() + 1, m.end() - 2)
    kind = rng.random()
    if kind < 0.4:
        return text[:at] + text[at + 1] + text[at] + text[at + 2:]
    if kind < 0.7:
        return text[:at] + text[at + 1:]
    return text[:at] + text[at] + text[at:]


def harmless(text: str, rng, most: int = 3) -> str | None:
    """One to `most` harmless changes, or None."""
    result = text
    for _ in range(rng.randint(1, most)):
        change = rng.choices(
            (reframe, synonym, front, articles, manners, keywords, slip), weights=(6, 4, 2, 2, 2, 2, 1))[0]
        result = change(result, rng) or result
    return result if words(result) != words(text) else None


# --- harmful --------------------------------------------------------------------------------------------------------

def _groups(text: str):
    groups = [line.split() for line in text.strip().splitlines()]
    table = defaultdict(set)
    for group in groups:
        for word in group:
            table[word] |= set(group) - {word}
    return {word: sorted(others) for word, others in table.items()}


#: Words of one line answer different questions in each other's place.
EXCHANGES = _groups("""what where why who when
where when why
how why when where
for against about without
by about for
with without
to from
before after during
in into on over under
above below
over under
and or
all some most no only any every
always never sometimes usually
every other
my your their his her our
is was
are were
do did
does did
has had will
can should must may
should can
will would
more less fewer most least
first last second third next previous
one two three four five six seven eight nine ten eleven twelve twenty thirty hundred thousand
once twice
half double
better worse best worst
good bad
high low
hot cold
open close lock unlock
start stop restart pause resume
enable disable
increase decrease improve
add remove edit rename copy move
delete deactivate archive restore
create delete update read
install uninstall update
upload download
import export
encode decode
encrypt decrypt
push pull fetch
merge rebase
buy sell rent return lend borrow
send receive return
accept reject
win lose
gain lose
log sign
public private
local remote global
old new young
old oldest newest new
left right
up down
inside outside
morning evening night
daily weekly monthly yearly hourly
day week month year hour minute second
minimum maximum average total
ascending descending
internal external
read write execute
input output
row column table
string number list array object dictionary set tuple
integer float string boolean
file folder link
mother father sister brother son daughter
man woman
husband wife
cause effect cure treat prevent diagnose
benefits risks disadvantages costs
difference similarity
advantages disadvantages
definition example
legal illegal safe possible
allowed required forbidden
empty hidden running stopped active
debit credit prepaid
refund replacement discount invoice
password username email
email phone address name
username password
python javascript java ruby rust go php swift kotlin
windows linux macos android ios
mysql postgres sqlite mongodb redis
git svn
docker kubernetes
html css
aws azure gcp
excel word powerpoint
iphone android
chrome firefox safari edge
celsius fahrenheit kelvin
miles kilometers meters feet
pounds kilograms grams ounces
dollars euros pounds yen
inches centimeters
breakfast lunch dinner
monday tuesday wednesday friday sunday
january march june september december
spring summer autumn winter
north south east west
dog cat horse
english spanish french german chinese
still already yet
too enough
training train
form from
past paste
desert dessert
affect effect
principal principle
accept except
advice advise
loose lose
quit quiet quite
stationary stationery
ear earring
us them
who whom whose which
someone everyone nobody
somewhere everywhere nowhere
borrow lend
teach learn
come go
bring take
say tell ask
hear listen
look see watch""")
MODIFIERS = (
    "read-only read-write private public running stopped hidden empty old new free paid annual monthly international local domestic used second "
    "joint temporary permanent external internal virtual physical student business personal expired lost stolen broken duplicate nested "
    "recursive remote shared encrypted compressed binary large small red electric vegan wild raw frozen homemade"
).split()
ENDINGS = (
    "without losing data", "for free", "for kids", "for beginners", "on windows", "on a mac", "on linux", "in python", "in javascript", "at night",
    "in winter", "after 50", "before a meeting", "while pregnant", "without an account", "online", "by phone", "abroad", "for a company",
    "from the command line", "in the background", "twice", "every day", "every other day", "only once", "again", "yet", "and why", "except on sundays",
    "for my wife", "for someone else", "with a friend", "and delete it", "but not the last one", "recursively", "in reverse order", "by default",
    "as root", "in production", "with docker", "older than a week", "larger than 1 GB", "automatically", "permanently", "temporarily", "in one line",
    "without internet", "in school", "at work", "in Germany", "in the US", "in Japan", "by hand", "too fast", "too often", "in the oven",
)
STARTS = (
    "why should I {}", "when should I {}", "should I {}", "is it legal to {}", "is it safe to {}", "how much does it cost to {}", "how long does it take to {}",
    "where can I {}", "who can {}", "what happens if I {}", "can I {}", "do I have to {}", "why can't I {}", "how do I undo it after I {}", "what do I need to {}",
    "how often should I {}", "is it worth it to {}", "how not to {}", "why do people {}", "what are the risks when I {}", "is it free to {}",
    "how many times can I {}", "which is the best place to {}",
)


class Harmful:
    """Harmful changes; those that take words from other prompts are fitted on `lines`."""

    def __init__(self, lines):
        self.after, self.before = defaultdict(list), defaultdict(list)
        self.nouns = []
        for line in lines:
            some = words(line)
            for one, other in zip(some, some[1:]):
                if one not in FUNCTION and other not in FUNCTION and one.isalpha() and other.isalpha():
                    self.before[other].append(one)
                    self.after[one].append(other)
            self.nouns += [w for w in some if w not in FUNCTION and w.isalpha() and len(w) > 3][-1:]
        # What stands between the same neighbours is of one kind.
        self.slots = defaultdict(list)
        for line in lines:
            some = ["^", *words(line), "$"]
            for left, word, right in zip(some, some[1:], some[2:]):
                if word not in FUNCTION and word.isalpha():
                    self.slots[left, right].append(word)

    def change(self, text: str, rng) -> str | None:
        kinds = (self.exchange, self.modifier, self.drop, self.ending, self.start, self.slot, self.number, self.letter,
                 self.negate, self.swap, self.more)
        kind = rng.choices(kinds, weights=(6, 2, 1.5, 2, 2, 5, 2, 0.4, 1, 1, 1))[0]
        result = kind(text, rng)
        return result if result and words(result) != words(text) else None

    def exchange(self, text, rng):
        fits = [m for m in re.finditer(r"[A-Za-z]+", text) if m[0].lower() in EXCHANGES]
        if not fits:
            return None
        # Rare words first: articles of a sentence are many, and one word decides it.
        m = rng.choice(fits)
        other = rng.choice(EXCHANGES[m[0].lower()])
        return text[: m.start()] + (other.capitalize() if m[0][:1].isupper() else other) + text[m.end():]

    def _content(self, text):
        return [m for m in re.finditer(r"[A-Za-z]{3,}", text) if m[0].lower() not in FUNCTION]

    def slot(self, text, rng):
        """Another word that stands between the same neighbours in another prompt."""
        marks = [m for m in re.finditer(r"[A-Za-z0-9']+", text)]
        some = ["^", *[m[0].lower() for m in marks], "$"]
        fits = []
        for at, m in enumerate(marks):
            others = self.slots.get((some[at], some[at + 2]), ())
            if some[at + 1] not in FUNCTION and some[at + 1].isalpha() and len(others) > 1:
                fits.append((m, others))
        if fits:
            m, others = rng.choice(fits)
            other = rng.choice(others)
            # `file` and `files` are one thing.
            if other[:4] != m[0].lower()[:4]:
                return text[: m.start()] + other + text[m.end():]
        fits = self._content(text)
        if not fits:
            return None
        m = rng.choice(fits)
        return text[: m.start()] + rng.choice(self.nouns) + text[m.end():]

    def modifier(self, text, rng):
        fits = self._content(text)
        if not fits:
            return None
        m = rng.choice(fits)
        others = self.before.get(m[0].lower()) or MODIFIERS
        other = rng.choice(others) if rng.random() < 0.7 else rng.choice(MODIFIERS)
        return text[: m.start()] + other + " " + text[m.start():]

    def drop(self, text, rng):
        """Without a word that stands before another one: `credit card` -> `card`."""
        fits = [m for m in re.finditer(r"\b([A-Za-z]{3,}) (?=[a-z]{3,})", text) if m[1].lower() not in FUNCTION
                and m.start() > 0 and m[1].lower() in self.after and not m[1].endswith("ly")]
        following = lambda m: re.match(r"[a-z]+", text[m.end():])
        fits = [m for m in fits if following(m) and following(m)[0] not in FUNCTION]
        if not fits:
            return None
        m = rng.choice(fits)
        return text[: m.start()] + text[m.end():]

    def ending(self, text, rng):
        line = _clean(text)
        return f"{line} {rng.choice(ENDINGS)}{'?' if text.strip().endswith('?') else ''}"

    def start(self, text, rng):
        m = _HOW.match(_clean(text)) or _ORDER.match(_clean(text))
        if not m:
            return None
        rest = m[1] if m.re is _HOW else f"{m[1].lower()} {m[2]}"
        return rng.choice(STARTS).format(rest) + rng.choice(("", "?"))

    def number(self, text, rng):
        fits = list(re.finditer(r"\d+", text))
        if fits:
            m = rng.choice(fits)
            value = int(m[0][:9])
            other = rng.choice((value + 1, value * 10, value + rng.randint(2, 90), max(0, value - 1), value * 2))
            return text[: m.start()] + str(other) + text[m.end():]
        numbers = "one two three four five six seven eight nine ten twenty thirty forty fifty sixty hundred".split()
        fits = [m for m in re.finditer(r"[a-z]+", text) if m[0] in numbers]
        if fits:
            m = rng.choice(fits)
            other = f"{m[0]} {rng.choice(numbers[:9])}" if rng.random() < 0.4 else rng.choice(numbers)
            return text[: m.start()] + other + text[m.end():]
        fits = self._content(text)
        if not fits or rng.random() < 0.7:
            return None
        m = rng.choice(fits)
        return text[: m.end()] + " " + str(rng.choice((2, 3, 7, 8, 11, 16, 2019, 365))) + text[m.end():]

    def letter(self, text, rng):
        fits = self._content(text)
        if not fits:
            return None
        m = rng.choice(fits)
        return text[: m.end()] + " " + rng.choice("abcdexyz") + text[m.end():]

    def negate(self, text, rng):
        for pattern, other in (
            (r"\bis\b", "is not"), (r"\bare\b", "are not"), (r"\bcan\b", "cannot"), (r"\bdo\b", "don't"), (r"\bdoes\b", "doesn't"),
            (r"\bnot \b", ""), (r"n't\b", ""), (r"\bshould\b", "should not"), (r"\bwith\b", "without"), (r"\bthat\b", "that do not"),
        ):
            if re.search(pattern, text) and rng.random() < 0.5:
                return re.sub(pattern, other, text, count=1)
        return None

    def swap(self, text, rng):
        """Two parts in each other's place, around a word that has a direction."""
        m = re.match(r"^(.*?\b)([A-Za-z]+)( (?:to|into|from|than|before|after|by|over|with) )([A-Za-z]+)\b(.*)$", text)
        if not m or m[2].lower() in FUNCTION or m[4].lower() in FUNCTION or "with" in m[3]:
            return None
        return f"{m[1]}{m[4]}{m[3]}{m[2]}{m[5]}"

    def more(self, text, rng):
        """A second thing beside the first: `cats` -> `cats and dogs`."""
        fits = self._content(text)
        if not fits:
            return None
        m = rng.choice(fits)
        return text[: m.end()] + rng.choice((" and ", " or ")) + rng.choice(self.nouns) + text[m.end():]
