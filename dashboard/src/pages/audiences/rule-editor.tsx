import { consentCategories } from '@assay/contract'
import { EventPicker } from '../../filters/event-picker.tsx'
import { Button } from '../../kit/button.tsx'
import { SelectField, TextField } from '../../kit/field.tsx'
import { Select } from '../../kit/select.tsx'
import { peopleText } from '../../text/people.ts'
import { watchText } from '../../text/watch.ts'
import { text } from '../../text.ts'
import {
  type DraftCondition,
  type DraftGroup,
  type DraftNode,
  depthMax,
  fieldKinds,
  isGroup,
  isNumeric,
  needsName,
  needsValue,
  newCondition,
  newGroup,
  operatorsOf,
  takesDays,
  takesList,
  withField,
  withNode,
} from './draft.ts'

type EditorProps = { rules: DraftGroup; onChange: (rules: DraftGroup) => void }

/** Who is in it, as conditions that all or any of which must hold, in groups. */
export function RuleEditor({ rules, onChange }: EditorProps) {
  return (
    <Group
      group={rules}
      path="rules"
      depth={1}
      onChange={onChange}
      onNode={(id, change) => onChange(withNode(rules, id, change))}
      onRemove={null}
    />
  )
}

type OnNode = (id: number, change: (node: DraftNode) => DraftNode | null) => void
type GroupProps = {
  group: DraftGroup
  /** Where it stands in the request, so that a refusal finds its line. */
  path: string
  depth: number
  onChange: (group: DraftGroup) => void
  onNode: OnNode
  onRemove: (() => void) | null
}

function Group({ group, path, depth, onChange, onNode, onRemove }: GroupProps) {
  const words = watchText.audiences
  return (
    <fieldset className="rule-group">
      <legend className="row">
        <Select
          name={words.join}
          value={group.join}
          choices={[
            { value: 'all', label: words.joins.all },
            { value: 'any', label: words.joins.any },
          ]}
          onChange={(join) => onChange({ ...group, join })}
        />
      </legend>
      {group.items.map((node, index) => (
        <Line
          key={node.id}
          node={node}
          path={`${path}.${group.join}.${index}`}
          place={index + 1}
          depth={depth}
          onNode={onNode}
        />
      ))}
      <div className="row">
        <Button isCompact onClick={() => onChange({ ...group, items: [...group.items, newCondition()] })}>
          {words.addCondition}
        </Button>
        {depth < depthMax && (
          <Button
            isCompact
            onClick={() =>
              onChange({ ...group, items: [...group.items, newGroup(group.join === 'all' ? 'any' : 'all')] })
            }
          >
            {words.addGroup}
          </Button>
        )}
        {onRemove !== null && (
          <Button isCompact look="ghost" onClick={onRemove}>
            {words.removeGroup}
          </Button>
        )}
      </div>
    </fieldset>
  )
}

type LineProps = { node: DraftNode; path: string; place: number; depth: number; onNode: OnNode }

function Line({ node, path, place, depth, onNode }: LineProps) {
  const remove = () => onNode(node.id, () => null)
  if (!isGroup(node)) {
    return (
      <Condition
        condition={node}
        path={path}
        place={place}
        onChange={(next) => onNode(node.id, () => next)}
        onRemove={remove}
      />
    )
  }
  return (
    <Group
      group={node}
      path={path}
      depth={depth + 1}
      onChange={(next) => onNode(node.id, () => next)}
      onNode={onNode}
      onRemove={remove}
    />
  )
}

type ConditionProps = {
  condition: DraftCondition
  path: string
  place: number
  onChange: (condition: DraftCondition) => void
  onRemove: () => void
}

function Condition({ condition, path, place, onChange, onRemove }: ConditionProps) {
  const words = watchText.audiences
  const { field, op, value, days } = condition
  return (
    <div className="rule-line">
      <SelectField
        label={words.field}
        value={field}
        choices={fieldKinds.map((kind) => ({ value: kind, label: words.fields[kind] }))}
        onChange={(kind) => onChange(withField(condition, kind))}
      />
      {needsName(field) && <NameField condition={condition} path={path} onChange={onChange} />}
      <SelectField
        label={words.op}
        value={op}
        choices={operatorsOf(field).map((name) => ({ value: name, label: words.ops[name] }))}
        onChange={(name) => onChange({ ...condition, op: name })}
      />
      {needsValue(op) &&
        (field === 'consent.' ? (
          <SelectField
            label={words.value}
            value={value}
            choices={(['granted', 'denied'] as const).map((choice) => ({
              value: String(choice),
              label: peopleText.consent.choices[choice],
            }))}
            onChange={(next) => onChange({ ...condition, value: next })}
          />
        ) : (
          <TextField
            label={takesList(op) ? words.values : words.value}
            name={`${path}.value`}
            value={value}
            isNumber={isNumeric(field)}
            onChange={(next) => onChange({ ...condition, value: next })}
            isRequired
          />
        ))}
      {takesDays(field) && (
        <TextField
          label={words.days}
          name={`${path}.window`}
          value={days}
          isNumber
          placeholder={words.anyDays}
          onChange={(next) => onChange({ ...condition, days: next })}
        />
      )}
      <div>
        <Button look="ghost" aria-label={words.removeCondition(place)} onClick={onRemove}>
          {text.acts.remove}
        </Button>
      </div>
    </div>
  )
}

type NameProps = { condition: DraftCondition; path: string; onChange: (condition: DraftCondition) => void }

function NameField({ condition, path, onChange }: NameProps) {
  const words = watchText.audiences
  if (condition.field === 'consent.') {
    return (
      <SelectField
        label={words.category}
        value={condition.name}
        choices={consentCategories.map((name) => ({
          value: String(name),
          label: peopleText.consent.categories[name],
        }))}
        onChange={(name) => onChange({ ...condition, name })}
      />
    )
  }
  const change = (name: string) => onChange({ ...condition, name })
  if (condition.field !== 'trait.') {
    return <EventPicker label={words.event} value={condition.name} onChange={change} isRequired />
  }
  return (
    <TextField
      label={words.trait}
      name={`${path}.field`}
      value={condition.name}
      onChange={change}
      isRequired
    />
  )
}
