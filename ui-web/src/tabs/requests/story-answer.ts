import type { Endpoints } from '../../api/endpoints.ts'

export type StoryAnswer = Endpoints['GET /api/admin/requests/{id}']['answer']
