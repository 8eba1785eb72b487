import { TextField } from '../kit/field.tsx'
import { text } from '../text.ts'

type SiteTexts = { name: string; domain: string; timezone: string; currency: string | null }

type SiteFieldsProps = {
  fields: SiteTexts
  onChange: (field: keyof SiteTexts) => (value: string) => void
  isNew?: boolean
}

/** What every site says of itself. */
export function SiteFields({ fields, onChange, isNew = false }: SiteFieldsProps) {
  const words = text.sites
  const needed = (name: 'name' | 'domain' | 'timezone') => ({
    label: words[name],
    name,
    value: fields[name],
    onChange: onChange(name),
    isRequired: true,
  })
  return (
    <div className="form-row">
      <TextField {...needed('name')} />
      <TextField {...needed('domain')} {...(isNew && { placeholder: 'shop.example' })} />
      <TextField {...needed('timezone')} />
      <TextField
        label={words.currency}
        name="currency"
        value={fields.currency ?? ''}
        onChange={onChange('currency')}
        {...((isNew || fields.currency === null) && { hint: text.rates.noCurrency })}
      />
    </div>
  )
}
