import type { Answer } from '../../api/ask.ts'

export type StoryAnswer = Answer<'GET /api/admin/requests/{id}'>
