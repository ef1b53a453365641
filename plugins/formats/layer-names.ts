/** What metrics and traces call the layer of a label, as in `X-Service-Layer`. */
export const LAYER_NAMES: Readonly<Record<string, string>> = {
  l0: 'L0_Auth',
  l0_5: 'L0_5_Classifier',
  l1a: 'L1a_ExactCache',
  l1b: 'L1b_SemanticCache',
  l2: 'L2_SLM',
  l2_5: 'L2_5_ContextOptimiser',
  l3: 'L3_Cloud',
}
