import { ApiProblem } from '@assay/contract'
import { createContext, useContext } from 'react'
import { plainWords } from '../api/problem.ts'
import { text } from '../text.ts'

/** What is wrong, by the id of the control it is about. */
export type Faults = ReadonlyMap<string, string>

type FormState = {
  faults: Faults
  /** Marks what is wrong with the fields and takes the focus there; answers whether all is well. */
  check: () => boolean
  /** Marks the fields that the server named in a refusal. */
  refuse: (error: Error) => void
  /** The refusal whose parts are all shown at their fields. */
  marked: Error | null
}

export const FormContext = createContext<FormState | null>(null)

export function useForm(): FormState | null {
  return useContext(FormContext)
}

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

export function controlsOf(form: HTMLFormElement): Control[] {
  return [...form.elements].filter(
    (element): element is Control =>
      element instanceof HTMLInputElement ||
      element instanceof HTMLSelectElement ||
      element instanceof HTMLTextAreaElement,
  )
}

/** What goes into an address: longer than any name or id, and short enough for every server in between. */
const searchLengthMax = 200

export function faultsOf(form: HTMLFormElement, isSearch: boolean): Faults {
  return new Map(
    controlsOf(form).flatMap((control) => {
      const fault = faultOf(control) ?? (isSearch ? lengthFault(control) : null)
      return fault === null ? [] : [[control.id, fault] as const]
    }),
  )
}

function faultOf(control: Control): string | null {
  const { validity, value, required, type, validationMessage } = control
  if (validity.badInput) return text.form.unreadable
  if (required && value.trim() === '') return text.form.needed
  if (validity.customError) return validationMessage
  if (validity.typeMismatch) return type === 'email' ? text.form.email : text.form.url
  return null
}

const lengthFault = ({ value }: Control) =>
  value.length > searchLengthMax ? text.form.atMost(searchLengthMax) : null

/** `secrets[0]` and `secrets.0` are the same place. */
const placeOf = (field: string) => field.replaceAll(/\[(\d+)\]/g, '.$1')

/** The field of the page that a refused field is part of: the one with the longest name that fits. */
function controlFor(controls: readonly Control[], field: string): Control | undefined {
  const place = placeOf(field)
  const fitting = controls.filter(
    ({ name }) => name !== '' && (place === name || place.startsWith(`${name}.`)),
  )
  return fitting.toSorted((a, b) => b.name.length - a.name.length)[0]
}

/** Assigns a refusal of the server to its fields; and whether that covers all of it. */
export function refusedIn(form: HTMLFormElement, error: Error): { faults: Faults; isWhole: boolean } {
  const refused = error instanceof ApiProblem ? (error.body.errors ?? []) : []
  const controls = controlsOf(form)
  const placed = refused.map(({ field, message }) => ({ control: controlFor(controls, field), message }))
  const faults = new Map(
    placed.flatMap(({ control, message }) =>
      control === undefined ? [] : [[control.id, plainWords(message)] as const],
    ),
  )
  return { faults, isWhole: placed.length > 0 && placed.every(({ control }) => control !== undefined) }
}
