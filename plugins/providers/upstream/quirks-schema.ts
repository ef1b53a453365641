import { z } from 'zod'

const pattern = z.string().refine(source => {
  try {
    return new RegExp(source) !== undefined
  } catch {
    return false
  }
}, 'not a regular expression')

/** Where one vendor's chat-completions API differs from the others. Each field is a documented difference. */
export const differences = {
  max_tokens_param: z
    .enum(['max_tokens', 'max_completion_tokens'])
    .optional()
    .describe('The only field the vendor reads the output cap from; the other one is renamed to it.'),
  developer_role: z
    .enum(['keep', 'system'])
    .optional()
    .describe('`system` sends messages of the role `developer` as `system`, for vendors that refuse the role.'),
  drop_params: z.array(z.string()).optional().describe('Fields that the vendor refuses or mishandles; taken out.'),
  drop_when_reasoning: z
    .array(z.string())
    .optional()
    .describe('Fields that the vendor refuses unless `reasoning_effort` is `none`; taken out otherwise.'),
  tools_need_effort_none: z
    .boolean()
    .optional()
    .describe('The vendor refuses tools together with a `reasoning_effort`; it is set to `none` for calls with tools.'),
}

export const quirksSchema = z.strictObject({
  ...differences,
  rename_params: z
    .record(z.string(), z.string())
    .optional()
    .describe("Fields by our name, and the vendor's name for them."),
  tool_choice_required: z.string().optional().describe("The vendor's word for `tool_choice: required`."),
  drop_empty_tools: z
    .boolean()
    .optional()
    .describe('Takes out `tools: []` with what depends on it, and `tool_choice` without tools.'),
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
  drop_message_fields: z.array(z.string()).optional().describe('Fields of each message that the vendor refuses.'),
  history_reasoning_field: z.string().optional().describe('The name under which earlier reasoning must be sent back.'),
  tool_call_ids: z
    .enum(['any', 'nine_alphanumeric'])
    .optional()
    .describe('The form the vendor demands of tool call ids; others are hashed into it.'),
  model_rules: z
    .array(z.strictObject({ match: pattern.describe('Regular expression on the model.'), ...differences }))
    .optional()
    .describe('Differences of single models; every rule that matches counts.'),
})

export type Quirks = z.output<typeof quirksSchema>
