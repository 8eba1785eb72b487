// A single-page application: pages are shown by a script, the SDK is a module, and the visitor is asked first.
import { init } from '{{assay}}/sdk.mjs'

const assay = init('{{key}}', {
  host: '{{assay}}',
  // Until the visitor has answered the banner nothing is sent and nothing is kept on the device.
  consent: 'denied',
  release: 'notes 1.4.0',
})

const banner = document.getElementById('banner')
banner.addEventListener('click', ({ target }) => {
  const { choice } = target.dataset
  if (!choice) return
  assay.consent(choice)
  banner.hidden = true
})

const pages = {
  '/': { title: 'Notes', html: '<h1>Notes</h1><button id="export">Export</button>' },
  '/pricing': { title: 'Pricing', html: '<h1>Pricing</h1><button id="plan-pro">Choose Pro</button>' },
  '/account': {
    title: 'Account',
    html: '<h1>Account</h1><form id="sign-in"><label>Mail <input name="mail"></label><button>Sign in</button></form>',
  },
}

const main = document.querySelector('main')

function show() {
  const page = pages[location.pathname] ?? pages['/']
  document.title = page.title
  main.innerHTML = page.html
}

// Page views need no code: the SDK sees the history change.
document.querySelector('nav').addEventListener('click', (event) => {
  if (!(event.target instanceof HTMLAnchorElement)) return
  event.preventDefault()
  history.pushState({}, '', event.target.pathname)
  show()
})
addEventListener('popstate', show)

main.addEventListener('click', ({ target }) => {
  if (target.id === 'plan-pro') assay.track('$subscribe', { plan: 'pro', amount: 9, currency: 'EUR' })
  if (target.id !== 'export') return
  try {
    exportNotes()
  } catch (error) {
    // Caught, so the page goes on; told, so somebody learns of it.
    assay.error(error, { feature: 'export' })
  }
})

main.addEventListener('submit', (event) => {
  event.preventDefault()
  // The id is that of your own user table, never what was typed.
  assay.identify('user-17', { plan: 'free' })
  assay.track('$login', { method: 'password' })
})

function exportNotes() {
  throw new RangeError('Nothing to export')
}

show()
