import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { TooLarge, unzstd } from '../../../surfaces/http/zstd.ts'
import { SMALL_WINDOW, ZSTD_HEAD, zstdBlock, zstdBomb, zstdFrame } from '../../support/zstd-frame.ts'
import { type Listening, listening, route, text } from '../listening.ts'

const LIMIT = 1 << 20

/** Of the official program, at its highest level and as a stream of unknown length. */
const BODY = `{"model": "gpt-test", "input": "${'capital of Norway? '.repeat(40)}", "store": false, "note": "ümlaut 日本"}`
const FRAMES = [
  'KLUv/WREAv0CAHJFFB2wqQMMOX054JUqY7OVZKyQtEV2SS4U5QULJJOFCM4lqIqeyqvkOybqq8i9WnzpzN4S3XivO2BySVSwU79cA+awCkSMe31jW2BhcbO/RujxJgMQBCVoxVkF0MoDi7ky5w==',
  'KLUv/QRYDQMA8sUVH7AnHQwZucRmriTduymSkrElyWi1FVYTawq8HKQxjwgJNxYNQ9H0zKXE8XDN+FTcgysdqhmX/HKPGzicYUlBUTbdEXUD13xGKYh7/IUHXBVcc0JCJkYEAQAjzqoJBYu5Muc=',
].map(frame => Buffer.from(frame, 'base64'))

test('reads what the official program writes', async () => {
  for (const bytes of FRAMES) assert.is((await unzstd(bytes, LIMIT)).toString('utf8'), BODY)
})

test('reads blocks that were not compressed, and empty ones', async () => {
  const stored = zstdFrame(SMALL_WINDOW, zstdBlock(0, 2, false, 0x7b, 0x7d), zstdBlock(0, 0, true))
  assert.is((await unzstd(stored, LIMIT)).toString('utf8'), '{}')
})

test('stops at the limit, however little a bomb weighs', async () => {
  assert.is((await unzstd(zstdBomb(8), LIMIT)).length, LIMIT)
  for (const bytes of [zstdBomb(9), zstdBomb(100_000)])
    assert.instance(await unzstd(bytes, LIMIT).catch(error => error), TooLarge)
})

test('asks for no memory that a frame only claims to need', async () => {
  const wide = zstdFrame(31 << 3, zstdBlock(0, 0, true))
  const full = Buffer.from([...ZSTD_HEAD, 0xe0, ...Array(7).fill(0), 1, ...zstdBlock(0, 0, true)])
  for (const bytes of [wide, full]) assert.instance(await unzstd(bytes, LIMIT).catch(error => error), TooLarge)
})

test('reads several frames one after the other, and skips those that hold nothing for it', async () => {
  const skipped = Buffer.from([0x5f, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 1, 2])
  const several = Buffer.concat([skipped, ...FRAMES, skipped, ...FRAMES])
  assert.is((await unzstd(several, LIMIT)).toString('utf8'), BODY.repeat(4))
  const halves = Buffer.concat([zstdBomb(5), zstdBomb(5)])
  assert.instance(await unzstd(halves, LIMIT).catch(error => error), TooLarge)
  const many = Buffer.concat(Array(200).fill(zstdFrame(SMALL_WINDOW, zstdBlock(0, 0, true))))
  assert.match((await unzstd(many, LIMIT).catch(error => error)).message, 'too many frames')
})

test('refuses what is not made of whole frames', async () => {
  const [whole = Buffer.alloc(0)] = FRAMES
  const broken = [...whole.keys()].map(length => whole.subarray(0, length))
  for (const bytes of [
    ...broken,
    Buffer.concat([whole, whole.subarray(0, -1)]),
    Buffer.concat([whole, Buffer.from('x')]),
    Buffer.from(BODY),
  ]) {
    const error = await unzstd(bytes, LIMIT).catch(problem => problem)
    assert.instance(error, Error)
    assert.not.instance(error, TooLarge)
  }
})

test('a body in zstd is read, refused when it is too large, and refused when it is none', async () => {
  const gateway: Listening = await listening({
    routes: [route('POST', '/echo', async call => text(call, Buffer.from(await call.body()).toString('utf8')))],
    options: { max_body_bytes: LIMIT },
  })
  const post = (body: Buffer, coding = 'zstd') =>
    fetch(`${gateway.url}/echo`, {
      method: 'POST',
      body: new Uint8Array(body),
      headers: { 'content-encoding': coding },
    })
  for (const bytes of FRAMES) assert.is(await (await post(bytes)).text(), BODY)
  assert.is((await post(zstdBomb(100_000))).status, 413)
  assert.is((await post(Buffer.from(BODY))).status, 400)
  const unknown = await post(Buffer.from(BODY), 'lzma')
  assert.is(unknown.status, 415)
  assert.match(await unknown.text(), 'zstd')
  await gateway.dispose()
})

test.run()
