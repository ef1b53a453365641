import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { withoutManners } from '../../../../plugins/models/pair/manners.ts'
import { tokensOf } from '../../../../plugins/models/pair/tokens.ts'
import { isVolatile } from '../../../../plugins/models/pair/volatile.ts'
import { QUESTIONS } from './questions.ts'

const CHANGING = `
What is the weather today?
what's the weather in Paris
Weather tomorrow in Oslo
Will it rain tomorrow?
What time is it?
what time is it in Tokyo right now
What day is today?
What is today's date?
What is the date?
Who is the current president of France?
What is the current price of gold?
What is the latest version of Node?
Tell me the latest news
latest news
What's new this week?
What happened yesterday?
Who won the match last night?
What movies are playing tonight?
What's on TV tonight?
Is the shop open now?
Are there any outages right now?
Which stocks are trending?
Bitcoin price now
Show me today's headlines
What is the stock price of Apple today?
Who is leading the league currently?
What should I wear today?
What are you doing right now?
Give me a random number
Generate a random password
Generate a password
give me a uuid v4
I need a strong password for my account
Give me a number between 1 and 10
Tell me a joke
Pick a number between 1 and 10
Pick a random card
Tell me a random fact
random joke
Give me 5 random names
Roll a dice
roll a d20
Roll two dice
Flip a coin
Toss a coin please
Surprise me!
Choose one for me
Tell me another joke
Another one
another one please
Give me another example
Give me more ideas
One more
Try again
again
Tell me again
Say that again
Explain it again
Do it again
can you repeat that?
Repeat your last answer
Something else
What else?
What else can you recommend
Tell me something else
Show my latest orders
What is my latest order?
Where is my order?
Where's my package?
Has my parcel shipped?
When will my order arrive?
What's the status of my refund?
What is my current balance?
What is my balance?
What was my last message?
Read my last email
Summarize my latest emails
What's on my calendar?
What is on my calendar today?
Do I have any new messages?
Show me my unread messages
What did I just say?
When is my next meeting?
Could you tell me what the weather is like today?
I want to know the current temperature
I'd like to know what time it is
let me know what my credit score is today
Do you know who won the game yesterday?
What is the most popular song right now?
What's the exchange rate today?
Which teams play this weekend?
What did the president say today?
`
const LASTING = `
How does a random forest work?
What is random access memory?
Explain random walks
What does NOW() return in SQL?
What does the TODAY() function do in Excel?
How do I use the today function in Excel?
How do I generate a random number in Python?
Generate a UUID in Python
Create a password policy
How do I generate a strong password?
What makes a joke funny?
Generate a random string in JavaScript
What is a random variable?
How random is DNA?
How do I get the current date in bash?
Print the current working directory
Show the current branch in git
What is the current directory?
How do I get yesterday's date in PHP?
What does today mean?
How do you say tomorrow in Spanish?
Translate "see you tomorrow" into French
I tried to use my card today and it was declined
I deposited cash this morning and it is still not there
My card hasn't been working today
Why was I charged a fee this morning?
Why can't I log in right now?
My reset email expired, what now?
What should I do now?
I need my card to be activated right now
I need an ATM right now!
I would like to delete my account now, please.
go back to factory settings now
How do I get help right now?
How do I track my order?
How do I cancel my order?
Can I pick up my order in store?
How do I check my balance?
Where can I find my invoice?
Where is my data stored?
How do I see my last login in Linux?
What if my order never arrives?
My order was delivered to the wrong address
What is the best security plugin for WordPress today?
Who is the most overrated actress in Bollywood today?
How much does it exist today?
Find all files modified today
Synchronize two directories to contain the latest files
Write an email to my manager saying I'm sick today
Can someone else use my card?
How can I tell if someone else is using my card?
do you work for another person
I need to move money from another bank
What are the benefits of learning another language?
Give me another word for happy
What's another word for happy?
Copy all files from the current folder to another folder
Will they again wear the clothes?
payments are declining again and again
How do I run a failed job again?
What happens to my data after cancellation?
When is my billing cycle?
Is my data secure?
What can I use my card to pay for?
How to undo my last commit
git undo last commit
What is the weather like in Iceland in winter?
How are weather forecasts made?
How do I install the latest version of Node?
What was the French revolution?
How do I choose one element of a list?
Select one column in SQL
When was the last ice age?
What happened in 1969?
What is the probability of rolling a six with two dice?
If I flip a coin twice, what is the chance of two heads?
Simulate rolling a dice in Python
Explain the current in a circuit
What is electric current?
What is a current account?
Once upon a time
Explain the next big thing
How long is the next leap second
What is the last digit of pi?
I lost my phone yesterday, how do I block my card?
We migrated to AWS last month and costs doubled. How do we reduce them?
Why does my dog bark at night?
How do I move my next meeting in Outlook?
Is there more than one universe?
What do you do now that school is over?
`
/** For each word that brings up a rule and does not do so above: a prompt that nothing else brings one up for. */
const BROUGHT_UP = `
Which trains run tomorrow?
What is on TV this morning?
Which trains run this afternoon?
What is on TV this evening?
What day is it?
What month is it?
Which films came out this month?
Which films came out this year?
Who will win the league this season?
Who sold most this quarter?
What is on offer at the moment?
Who is the pope at present?
Who is presently the pope?
How many people have signed so far?
What is the newest iPhone?
What is the most recent Java release?
Is there breaking news?
How is the weather?
weather for Rome
Will it rain in Oslo?
Is it raining in Oslo?
Will it snow in Oslo?
Is it snowing in Oslo?
Do I have a message?
Do I have new messages?
Do I have any mail?
Do I have unread mails?
Do I have an email?
Do I have any unread emails?
Do I have a meeting?
Do I have any meetings?
Do I have an appointment?
Do I have any appointments?
Do I have a notification?
Do I have any notifications?
Name a city randomly
Throw a die
Choose a number
Think of a number
Select a card
Draw a letter
Guess a number
Spin the wheel
Shuffle
Tell me something different
Give me a new one
Next question
Redo that
Regenerate
What is on todayª
`
const lines = (text: string): string[] => text.trim().split('\n')
const volatile = (text: string): boolean => isVolatile(withoutManners(tokensOf(text)))

test('what has another answer later, or each time, is volatile', () => {
  for (const text of [...lines(CHANGING), ...lines(BROUGHT_UP)]) assert.ok(volatile(text), text)
})

test('the same words in a story, a manual or a name are not', () => {
  for (const text of [...lines(LASTING), ...QUESTIONS]) assert.not.ok(volatile(text), text)
})

test('manners hide nothing of it', () => {
  for (const text of [...lines(CHANGING), ...lines(LASTING)])
    for (const changed of [
      text.toLowerCase(),
      text.toUpperCase(),
      `  ${text.replaceAll(' ', '  ')} `,
      text.replace(/[.?!]+$/, ''),
      `Please, ${text}`,
      `hi there, ${text}`,
      `${text.replace(/[.?!]+$/, '')}. Thanks!`,
    ])
      assert.is(volatile(changed), volatile(text), changed)
})

test.run()
