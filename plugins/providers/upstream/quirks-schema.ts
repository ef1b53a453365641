import { z } from 'zod'

export const pattern = z.string().refine(source => {
  try {
    return new RegExp(source) !== undefined
  } catch {
    return false
  }
}, 'not a regular expression')

/** From none to most: the words of all vendors for how hard a model thinks. */
export const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const

/** Where one vendor's chat-completions API, or one of its models, differs from the others. Each field is a documented difference. */
const differences = {
  max_tokens_param: z
    .enum(['max_tokens', 'max_completion_tokens'])
    .optional()
    .describe('The only field the vendor reads the output cap from; the other one is renamed to it.'),
  developer_role: z
    .enum(['keep', 'system'])
    .optional()
    .describe('`system` sends messages of the role `developer` as `system`, for vendors that refuse the role.'),
  drop_params: z
    .array(z.string())
    .optional()
    .describe(
      'Fields that the vendor refuses or mishandles; taken out. A call that asks by one of them for something that its client sees in the answer goes to another provider.',
    ),
  drop_when_reasoning: z
    .array(z.string())
    .optional()
    .describe('The same, for fields that the vendor refuses unless `reasoning_effort` is `none`.'),
  tools_need_effort_none: z
    .boolean()
    .optional()
    .describe('The vendor refuses tools together with a `reasoning_effort`; it is set to `none` for calls with tools.'),
  efforts: z
    .array(z.enum(EFFORTS))
    .min(1)
    .optional()
    .describe('The words that the vendor takes as `reasoning_effort`; any other becomes the nearest of them.'),
  thinking_switch: z
    .enum(['thinking', 'enable_thinking'])
    .optional()
    .describe(
      'The field that turns thinking on and off; it is set after `reasoning_effort`, which is sent only if there are `efforts`.',
    ),
  always_thinks: z.boolean().optional().describe('The model refuses to be told not to think; such a wish is left out.'),
  calls_need_reasoning: z
    .boolean()
    .optional()
    .describe(
      'The vendor refuses to think where the history has a tool call without its reasoning; thinking is turned off then.',
    ),
  stream_only: z
    .boolean()
    .optional()
    .describe('The vendor refuses calls without a stream; a whole answer is put together from one.'),
  drop_message_fields: z.array(z.string()).optional().describe('Fields of each message that the vendor refuses.'),
  history_reasoning_field: z.string().optional().describe('The name under which earlier reasoning must be sent back.'),
}

export const quirksSchema = z.strictObject({
  ...differences,
  rename_params: z
    .record(z.string(), z.string())
    .optional()
    .describe("Fields by our name, and the vendor's name for them."),
  tool_choices: z
    .array(z.enum(['auto', 'none', 'required', 'named']))
    .optional()
    .describe('What the vendor takes as `tool_choice`; default all. Calls that need another go to another provider.'),
  tool_choice_required: z.string().optional().describe("The vendor's word for `tool_choice: required`."),
  response_formats: z
    .array(z.enum(['text', 'json_object', 'json_schema']))
    .optional()
    .describe(
      'What the vendor takes as `response_format`; default all. Calls that need another go to another provider.',
    ),
  drop_empty_tools: z
    .boolean()
    .optional()
    .describe('Takes out `tools: []` with what depends on it, and `tool_choice` without tools.'),
  plain_tool_schemas: z
    .boolean()
    .optional()
    .describe(
      'Rewrites schemas of tools: an object at the root, `prefixItems` for tuples, no `type` beside `anyOf`, no `$schema`.',
    ),
  custom_tools: z
    .boolean()
    .optional()
    .describe(
      'The vendor takes free-form tools. Without it those of clients of another format are shown to it as functions.',
    ),
  require_parameters: z
    .boolean()
    .optional()
    .describe('Calls with tools or a JSON schema go only to hosts behind the vendor that heed them.'),
  stream_usage: z
    .enum(['opt_in', 'always', 'never'])
    .optional()
    .describe(
      '`opt_in` (default) asks for usage in streams; `always` has it anyway; `never` refuses `stream_options`.',
    ),
  temperature: z
    .tuple([z.number(), z.number()])
    .optional()
    .describe('Range the vendor accepts; what lies outside is moved to its end.'),
  system_role: z
    .enum(['system', 'user'])
    .optional()
    .describe('`user` sends system text as the user, for vendors without the role.'),
  alternate_roles: z
    .boolean()
    .optional()
    .describe('Joins messages of one role that follow each other; the vendor wants user and assistant by turns.'),
  tool_call_ids: z
    .enum(['any', 'forty_characters', 'nine_alphanumeric'])
    .optional()
    .describe('The form the vendor demands of tool call ids, `forty_characters` at most; others are hashed into it.'),
  model_rules: z
    .array(z.strictObject({ match: pattern.describe('Regular expression on the model.'), ...differences }))
    .optional()
    .describe('Differences of single models; every rule that matches counts.'),
})

export type Quirks = z.output<typeof quirksSchema>
export type Effort = (typeof EFFORTS)[number]
