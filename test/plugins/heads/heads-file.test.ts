import { utimesSync, writeFileSync } from 'node:fs'
import { artifactText, openHeads } from 'deflector/heads'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { labelsIn } from '../../../plugins/layers/classifier/artifact-file.ts'
import { artifactPath, routingArtifact, vectorOf } from '../../support/routing.ts'

test('a file is read once while it stays as it is', async () => {
  const file = artifactPath()
  const first = await openHeads(file)
  assert.is(first.embedder, routingArtifact.embedder)
  assert.is(first.heads.classify(vectorOf('codegen'), 'codegen').heads.task_type?.label, 'codegen')
  assert.is(await openHeads(file), first)
  const labels = labelsIn(file)
  assert.ok(labels)
  assert.is(labelsIn(file), labels)
})

test('a file that has changed is read again', async () => {
  const file = artifactPath()
  const [heads, labels] = [await openHeads(file), labelsIn(file)]
  const { domain } = routingArtifact.heads
  assert.ok(domain)
  writeFileSync(file, artifactText({ ...routingArtifact, embedder: 'another', heads: { domain } }))
  assert.is((await openHeads(file)).embedder, 'another')
  assert.equal(Object.keys(labelsIn(file) ?? {}), ['domain'])
  assert.not.equal([(await openHeads(file)).embedder, labelsIn(file)], [heads.embedder, labels])
  writeFileSync(file, '{'.repeat(10))
  utimesSync(file, 1, 1)
  assert.is(await openHeads(file).catch(String), 'Error: it is not JSON')
  assert.is(labelsIn(file), undefined)
})

test.run()
