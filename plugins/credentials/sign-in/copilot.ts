import { askAuthority } from './authority.ts'
import { DEVICE_GRANT, deviceGrant, filled, granted } from './oauth-replies.ts'
import type { SignIn } from './sign-in.ts'

/** GitHub's device flow. Its token has no end, unless the app asks for tokens that have one. */
export const copilot: SignIn = {
  name: 'copilot',
  settings: {
    client_id: { doc: 'Id of an OAuth app of your own with device flow.', required: true },
    client_secret: { doc: 'Its secret, where tokens of the app expire.' },
    scope: { doc: 'What is asked for.', default: 'read:user' },
    host: { doc: 'The host; another one for GitHub Enterprise.', default: 'github.com' },
    device_url: { doc: 'Where codes come from.', default: 'https://{host}/login/device/code' },
    token_url: { doc: 'Where tokens come from.', default: 'https://{host}/login/oauth/access_token' },
  },
  notice:
    'GitHub Copilot has no public API for other programs: using a subscription from here may be against its terms of service.',
  renewBeforeMs: 300_000,
  begin: ({ device_url = '', client_id = '', scope = '' }) => deviceGrant(device_url, filled({ client_id, scope })),
  // Pending is status 200, too: the error is in the body.
  poll: ({ token_url = '', client_id = '' }, { private: { device_code = '' } }) =>
    askAuthority(token_url, { form: { client_id, device_code, grant_type: DEVICE_GRANT } }),
  read: granted,
  keep: ({ token_url = '', client_id = '', client_secret }) => ({
    means: filled({ token_url, client_id, client_secret }),
  }),
  renew: ({ means: { token_url = '', client_id = '', client_secret } }, refresh_token) =>
    askAuthority(token_url, { form: filled({ client_id, client_secret, refresh_token, grant_type: 'refresh_token' }) }),
  revocation: 'https://github.com/settings/applications',
}
