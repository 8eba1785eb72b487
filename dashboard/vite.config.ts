import { routes } from '@assay/contract'
import { defineConfig } from 'vite'
import { regionNamesModule } from './region-names.ts'
import { worldMap } from './world-map.ts'

/** Of each route the page needs method and path; the shapes stay here, where they are types and cost nothing. */
const table = Object.fromEntries(routes.map(({ id, method, path }) => [id, { method, path }]))
const actions = [...new Set(routes.flatMap((route) => ('audit' in route ? [route.audit.action] : [])))].sort()
/** The server used by `npm run dev`. */
const product = 'http://127.0.0.1:4400'

export default defineConfig(({ command }) => ({
  root: import.meta.dirname,
  plugins: [worldMap(), regionNamesModule()],
  define: {
    __ROUTES__: JSON.stringify(table),
    __AUDIT_ACTIONS__: JSON.stringify(actions),
    // In every build, also for tests: React's own checks are for its developers, and take a third of the
    // size.
    ...(command === 'build' && { 'process.env.NODE_ENV': '"production"' }),
  },
  oxc: { jsx: { runtime: 'automatic', development: command !== 'build' } },
  build: {
    target: 'es2022',
    // Nothing is put into the page as data: the content security policy allows files alone.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 600,
    // The player of recordings is a document of its own, under a policy of its own.
    rolldownOptions: {
      input: ['index.html', 'player.html'].map((name) => `${import.meta.dirname}/${name}`),
      // Libraries mark their files for rendering on a server, which there is none of.
      onwarn: (warning, report) => {
        if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') report(warning)
      },
    },
  },
  server: {
    proxy: {
      '^/(?:api|v1|sign-in|sdk|docs|problems|openapi|readyz)': {
        target: product,
        // The product takes changes from pages of its own origin alone.
        headers: { origin: product },
      },
    },
  },
}))
