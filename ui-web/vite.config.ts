import { defineConfig } from 'vite'

/** The gateway that `npm run dashboard` asks for data. */
const GATEWAY = 'http://127.0.0.1:8080'

export default defineConfig({
  base: '/dashboard/',
  build: {
    outDir: '../dist/ui-web',
    emptyOutDir: true,
    target: 'es2022',
    // The policy of the page allows no `data:` address, and nothing inline.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // The licences of what is bundled ask for it.
    license: { fileName: 'licenses.txt' },
  },
  server: { proxy: { '/api': GATEWAY, '/debug': GATEWAY, '/health': GATEWAY, '/v1': GATEWAY } },
})
