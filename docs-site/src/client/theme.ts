/** Before the first paint: the theme that was chosen in the dashboard, else the one of the system. */
const chosen = localStorage.getItem('assay.theme')
const dark = matchMedia('(prefers-color-scheme: dark)')
const isDark = chosen === 'dark' || (chosen !== 'light' && dark.matches)
document.documentElement.dataset.theme = isDark ? 'dark' : 'light'
