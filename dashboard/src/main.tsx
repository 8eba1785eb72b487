import { CSPProvider } from '@base-ui/react/csp-provider'
import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Router } from 'wouter'
import { createQueryClient } from './api/reads.ts'
import { Notices } from './kit/notice.tsx'
import { applyTheme } from './kit/theme.ts'
import { App } from './shell/app.tsx'
import { askAhead } from './shell/first-reads.ts'
import { Guard } from './shell/guard.tsx'
import { aroundNav } from './shell/leave-guard.ts'

applyTheme()

const queries = createQueryClient()
askAhead(queries, location)

const root = document.getElementById('root')
if (root === null) throw new Error('the page has a root')
createRoot(root).render(
  <StrictMode>
    {/* The policy of the page allows files alone; what the kit would put in as text stands in ours. */}
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queries}>
        <Notices>
          <Guard place="">
            <Router aroundNav={aroundNav}>
              <App />
            </Router>
          </Guard>
        </Notices>
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
)
