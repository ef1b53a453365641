import { askAuthority } from './authority.ts'
import { DEVICE_GRANT, deviceGrant, filled, granted } from './oauth-replies.ts'
import type { SignIn } from './sign-in.ts'

/**
 * Google's device flow. Its access tokens live for an hour, and its refresh answer mostly has no new refresh token. The
 * device endpoint grants few scopes, which Google decides for each client.
 */
export const gemini: SignIn = {
  name: 'gemini',
  settings: {
    client_id: { doc: 'Id of an OAuth client of your own for limited-input devices.', required: true },
    client_secret: { doc: 'Its secret.', required: true },
    project: { doc: 'The project that is charged (`x-goog-user-project`).' },
    scope: { doc: 'What is asked for.', default: 'https://www.googleapis.com/auth/generative-language.retriever' },
    authorize_url: { doc: 'Where a browser signs in.', default: 'https://accounts.google.com/o/oauth2/v2/auth' },
    device_url: { doc: 'Where codes come from.', default: 'https://oauth2.googleapis.com/device/code' },
    token_url: { doc: 'Where tokens come from.', default: 'https://oauth2.googleapis.com/token' },
    revoke_url: { doc: 'Where they are ended.', default: 'https://oauth2.googleapis.com/revoke' },
  },
  notice:
    'Google grants its device sign-in few scopes. If it refuses this one, add --browser, or use a key: "deflector set-key --provider gemini".',
  renewBeforeMs: 300_000,
  begin: ({ device_url = '', client_id = '', scope = '' }) => deviceGrant(device_url, filled({ client_id, scope })),
  poll: ({ token_url = '', client_id = '', client_secret = '' }, { private: { device_code = '' } }) =>
    askAuthority(token_url, { form: { client_id, client_secret, device_code, grant_type: DEVICE_GRANT } }),
  browser: {
    authorize({ authorize_url = '', client_id = '', scope = '' }, { redirectUri, challenge, state }) {
      const url = new URL(authorize_url)
      const asked = { response_type: 'code', client_id, redirect_uri: redirectUri, scope, state }
      // Without these two there is no refresh token.
      const offline = { access_type: 'offline', prompt: 'consent' }
      const proof = { code_challenge: challenge, code_challenge_method: 'S256' }
      for (const [name, value] of Object.entries({ ...asked, ...offline, ...proof })) url.searchParams.set(name, value)
      return url
    },
    exchange: ({ token_url = '', client_id = '', client_secret = '' }, { redirectUri, code, verifier }) =>
      askAuthority(token_url, {
        form: {
          client_id,
          client_secret,
          code,
          code_verifier: verifier,
          redirect_uri: redirectUri,
          grant_type: 'authorization_code',
        },
      }),
  },
  read: granted,
  keep: ({ token_url, revoke_url, client_id, client_secret, project }) => ({
    means: filled({ token_url, revoke_url, client_id, client_secret }),
    headers: { authorization: 'Bearer {token}', ...filled({ 'x-goog-user-project': project }) },
  }),
  renew: ({ means: { token_url = '', client_id = '', client_secret = '' } }, refresh_token) =>
    askAuthority(token_url, { form: { client_id, client_secret, refresh_token, grant_type: 'refresh_token' } }),
  async revoke({ means: { revoke_url = '' }, refresh_token, access_token }) {
    await askAuthority(revoke_url, { form: { token: refresh_token ?? access_token } })
  },
  revocation: 'https://myaccount.google.com/permissions',
}
