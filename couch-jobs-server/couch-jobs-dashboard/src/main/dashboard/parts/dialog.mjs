// One dialog for all actions, and one line that says what they have done.

import { html, useEffect, useRef, useState } from '../html.mjs';
import { refreshAll } from '../live.mjs';
import { Problem } from './basics.mjs';

const SHOWN_MILLIS = 8000;
let openDialog = () => {};
let showLine = () => {};

/**
 * Asks before it runs something.
 *
 * title, text, body, confirm: what is said; isDangerous: how the button looks; fields: what else is asked for, each
 * { name, label, type, value, required, hint, choices, rows }; run gets the values, and a function that shows how far it is.
 * It returns what to say afterwards, or what to ask next.
 */
export function ask(options) {
  openDialog(options);
}

export function say(text) {
  showLine({ text, at: Date.now() });
}

/** Asks, runs, says what was done, and reads again what is shown. */
export function Ask({ label, isDangerous, isSmall, disabled, children, ...options }) {
  const look = [isSmall && 'small', isDangerous && 'dangerous'].filter(Boolean).join(' ');
  const open = () => ask({ confirm: children, isDangerous, ...options });
  return html`<button type="button" class=${look} disabled=${disabled} aria-label=${label} onClick=${open}>
    ${children}
  </button>`;
}

function Field({ field }) {
  const id = `field-${field.name}`;
  if (field.type === 'checkbox') {
    return html`<div class="check">
      <input id=${id} name=${field.name} type="checkbox" defaultChecked=${field.value} />
      <label for=${id}>${field.label}</label>
    </div>`;
  }
  const hint = field.hint ? `${id}-hint` : undefined;
  return html`<div class="field">
    <label for=${id}>${field.label}</label>
    ${field.choices
      ? html`<select id=${id} name=${field.name}>
          ${field.choices.map(
            ([value, text]) => html`<option value=${value} selected=${value === field.value}>${text}</option>`,
          )}
        </select>`
      : field.rows
        ? html`<textarea
            id=${id}
            name=${field.name}
            rows=${field.rows}
            defaultValue=${field.value ?? ''}
            required=${field.required}
            aria-describedby=${hint}
            autocomplete="off"
            spellcheck=${false}
          ></textarea>`
        : html`<input
          id=${id}
          name=${field.name}
          type=${field.type ?? 'text'}
          defaultValue=${field.value ?? ''}
          required=${field.required}
          min=${field.min}
          max=${field.max}
          step=${field.step}
          maxlength=${field.maxLength}
          aria-describedby=${hint}
          autocomplete="off"
        />`}
    ${hint && html`<p class="note" id=${hint}>${field.hint}</p>`}
  </div>`;
}

export function Dialog() {
  const [options, setOptions] = useState(null);
  const [error, setError] = useState(null);
  const [running, setRunning] = useState(false);
  const [progress, setProgress] = useState('');
  const dialog = useRef(null);
  useEffect(() => {
    openDialog = (wanted) => {
      setError(null);
      setRunning(false);
      setOptions(wanted);
    };
    return () => {
      openDialog = () => {};
    };
  }, []);
  useEffect(() => {
    if (options) {
      if (!dialog.current.open) {
        dialog.current.showModal();
      }
      (dialog.current.querySelector('input, select, textarea') ?? dialog.current.querySelector('button')).focus();
    }
  }, [options]);
  if (!options) {
    return null;
  }
  const closed = () => setOptions(null);
  const submit = async (event) => {
    event.preventDefault();
    const values = Object.fromEntries(new FormData(event.target));
    setRunning(true);
    setError(null);
    try {
      const done = await options.run(values, setProgress);
      if (done?.title) {
        setOptions(done);
      } else {
        dialog.current?.close();
        if (done) {
          say(done);
        }
        refreshAll();
      }
    } catch (problem) {
      setError(problem);
    }
    setRunning(false);
    setProgress('');
  };
  return html`<dialog ref=${dialog} aria-labelledby="dialog-title" onClose=${closed}>
    <form key=${options.title} onSubmit=${submit}>
      <h2 id="dialog-title">${options.title}</h2>
      ${options.text && html`<p>${options.text}</p>`}
      ${options.body}
      ${(options.fields ?? []).map((field) => html`<${Field} key=${field.name} field=${field} />`)}
      <p class="note" role="status">${progress}</p>
      <${Problem} error=${error} />
      <div class="actions">
        <button type="button" onClick=${() => dialog.current.close()}>Close</button>
        <button type="submit" class=${options.isDangerous ? 'primary dangerous' : 'primary'} disabled=${running}>
          ${running ? 'Please wait…' : options.confirm}
        </button>
      </div>
    </form>
  </dialog>`;
}

/** What the last action has done. */
export function Line() {
  const [line, setLine] = useState(null);
  useEffect(() => {
    showLine = setLine;
    return () => {
      showLine = () => {};
    };
  }, []);
  useEffect(() => {
    const timer = line && setTimeout(() => setLine(null), SHOWN_MILLIS);
    return () => clearTimeout(timer);
  }, [line]);
  return html`<div class="line" role="status" aria-live="polite">${line && html`<p>${line.text}</p>`}</div>`;
}
