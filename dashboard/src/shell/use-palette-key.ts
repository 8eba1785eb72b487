import { useEffect } from 'react'

/** Ctrl or Cmd with K, wherever the focus is. Its code comes with the first of the two keys. */
export function usePaletteKey(open: () => void, prepare: () => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'Control' || event.key === 'Meta') prepare()
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey) return
      event.preventDefault()
      open()
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [open, prepare])
}

/** What is typed before the palette is there to take it. */
export function useEarlyKeys(onKey: (key: string) => void): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key.length !== 1 || event.ctrlKey || event.metaKey || event.altKey) return
      event.preventDefault()
      onKey(event.key)
    }
    window.addEventListener('keydown', listen)
    return () => window.removeEventListener('keydown', listen)
  }, [onKey])
}
