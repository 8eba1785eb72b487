import {
  type ButtonHTMLAttributes,
  type FormEvent,
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { Button } from './button.tsx'
import { controlsOf, type Faults, FormContext, faultsOf, refusedIn, useForm } from './form-state.ts'

type FormProps = {
  onSubmit: () => unknown
  children: ReactNode
  className?: 'form' | 'form-row' | 'stack' | 'row'
  /** Asks for something and changes nothing: what is typed there may be left behind. */
  isSearch?: boolean
}

const noFaults: Faults = new Map()

/**
 * Every form of the dashboard: shows at each field what is wrong with it, in our words and not the browser's,
 * focuses the first one, submits once however often it is clicked, and asks before a reload loses input.
 */
export function Form({ onSubmit, children, className = 'form', isSearch = false }: FormProps) {
  const place = useRef<HTMLFormElement>(null)
  const isRunning = useRef(false)
  const [isBusy, setBusy] = useState(false)
  const [runs, setRuns] = useState(0)
  const isTouched = useRef(false)
  const { state, forget, check } = useFaults(place, isTouched, isSearch)
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent) => {
      if (isTouched.current) event.preventDefault()
    }
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [])
  // What the page itself found wrong when it was asked takes the focus, as what the form or the server found does.
  useEffect(() => {
    if (runs > 0 && place.current !== null) focusMarked(place.current)
  }, [runs])
  const run = async () => {
    isRunning.current = true
    setBusy(true)
    isTouched.current = false
    try {
      await onSubmit()
    } finally {
      isRunning.current = false
      setBusy(false)
      setRuns((count) => count + 1)
    }
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    // A dialog inside a form is no part of it, though its events come by here.
    event.stopPropagation()
    if (!isRunning.current && check()) void run()
  }
  return (
    <FormContext value={state}>
      <form
        ref={place}
        className={className}
        noValidate
        aria-busy={isBusy}
        onSubmit={submit}
        onInput={(event) => {
          if (!isSearch) isTouched.current = true
          if (event.target instanceof Element) forget(event.target.id)
        }}
      >
        {children}
      </form>
    </FormContext>
  )
}

function focusMarked(form: HTMLFormElement): void {
  controlsOf(form)
    .find((control) => control.getAttribute('aria-invalid') === 'true')
    ?.focus()
}

function useFaults(
  place: RefObject<HTMLFormElement | null>,
  isTouched: RefObject<boolean>,
  isSearch: boolean,
) {
  const [faults, setFaults] = useState(noFaults)
  const [marked, setMarked] = useState<Error | null>(null)
  const mark = useCallback(
    (found: Faults) => {
      setFaults(found)
      if (place.current === null) return
      const first = controlsOf(place.current).find(({ id }) => found.has(id))
      // What is folded away cannot take the focus.
      first?.closest('details')?.setAttribute('open', '')
      first?.focus()
    },
    [place],
  )
  const check = useCallback(() => {
    const found = place.current === null ? noFaults : faultsOf(place.current, isSearch)
    mark(found)
    return found.size === 0
  }, [place, mark, isSearch])
  const refuse = useCallback(
    (error: Error) => {
      if (place.current === null) return
      isTouched.current = true
      const refused = refusedIn(place.current, error)
      if (refused.faults.size > 0) mark(refused.faults)
      setMarked(refused.isWhole ? error : null)
    },
    [place, isTouched, mark],
  )
  const forget = (id: string) => {
    if (faults.has(id)) setFaults(new Map([...faults].filter(([other]) => other !== id)))
  }
  const state = useMemo(() => ({ faults, marked, check, refuse }), [faults, marked, check, refuse])
  return { state, forget, check }
}

type TrialProps = ButtonHTMLAttributes<HTMLButtonElement> & { onTry: () => unknown }

/** A secondary button of a form: it too validates the fields first. */
export function TrialButton({ onTry, ...rest }: TrialProps) {
  const form = useForm()
  return (
    <Button
      {...rest}
      onClick={() => {
        if (form === null || form.check()) void onTry()
      }}
    />
  )
}
