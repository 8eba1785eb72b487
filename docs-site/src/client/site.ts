import MiniSearch from 'minisearch'
import { indexOptions, type Section } from '../search-options.ts'

/** As many as fit below the field without a scroll bar. */
const resultsMax = 10

function one<T extends Element>(selector: string, kind: new () => T): T {
  const found = document.querySelector(selector)
  if (found instanceof kind) return found
  throw new Error(`The page has no ${selector}`)
}

const place = one('.search', HTMLElement)
const field = one('.search input', HTMLInputElement)
const list = one('#results', HTMLUListElement)
let index: Promise<MiniSearch<Section>> | null = null
let chosen = -1

/** Loaded with the first use of the field. */
function loaded(): Promise<MiniSearch<Section>> {
  index ??= fetch(place.dataset.index ?? '')
    .then((response) => response.text())
    .then((json) => MiniSearch.loadJSON<Section>(json, indexOptions))
  // Without a connection the next letter tries again.
  index.catch(() => {
    index = null
  })
  return index
}

async function search(): Promise<void> {
  const asked = field.value
  const found = asked.trim() === '' ? [] : (await loaded()).search(asked).slice(0, resultsMax)
  // A slow answer to an earlier question.
  if (asked !== field.value) return
  show(asked.trim() === '' ? null : found.map(itemOf))
}

function itemOf(result: Record<string, unknown>, position: number): HTMLLIElement {
  const item = document.createElement('li')
  item.id = `result-${position}`
  item.role = 'option'
  item.className = 'result'
  const link = document.createElement('a')
  link.href = `${place.dataset.root ?? ''}${result.path}`
  link.tabIndex = -1
  link.append(String(result.page))
  if (result.heading !== '') {
    const heading = document.createElement('small')
    heading.textContent = String(result.heading)
    link.append(heading)
  }
  item.append(link)
  return item
}

function show(items: readonly HTMLLIElement[] | null): void {
  const none = document.createElement('li')
  none.className = 'none'
  none.textContent = 'No page has these words.'
  list.replaceChildren(...(items === null ? [] : items.length === 0 ? [none] : items))
  list.hidden = items === null
  field.ariaExpanded = String(items !== null)
  choose(-1)
}

function choose(position: number): void {
  const items = [...list.querySelectorAll('[role=option]')]
  chosen = items.length === 0 ? -1 : (position + items.length) % items.length
  if (position === -1) chosen = -1
  for (const [at, item] of items.entries()) item.ariaSelected = String(at === chosen)
  const id = items[chosen]?.id
  if (id === undefined) field.removeAttribute('aria-activedescendant')
  else field.setAttribute('aria-activedescendant', id)
}

field.addEventListener('focus', () => void loaded())
field.addEventListener('input', () => void search())
field.addEventListener('keydown', (event) => {
  if (event.key === 'ArrowDown') choose(chosen + 1)
  else if (event.key === 'ArrowUp') choose(chosen <= 0 ? list.children.length - 1 : chosen - 1)
  else if (event.key === 'Escape') show(null)
  else if (event.key === 'Enter') list.querySelectorAll('a')[Math.max(chosen, 0)]?.click()
  else return
  event.preventDefault()
})
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || document.activeElement === field) return
  event.preventDefault()
  field.focus()
})
document.addEventListener('click', (event) => {
  if (event.target instanceof Node && !place.contains(event.target)) show(null)
})

// On a phone the contents would fill the screen before the page.
const contents = one('.contents details', HTMLDetailsElement)
if (matchMedia('(max-width: 900px)').matches) contents.open = false
// The page that is shown is in sight, without a move of the page itself.
const current = contents.querySelector<HTMLElement>('[aria-current]')
if (current && contents.parentElement) {
  contents.parentElement.scrollTop = current.offsetTop - contents.parentElement.clientHeight / 2
}
