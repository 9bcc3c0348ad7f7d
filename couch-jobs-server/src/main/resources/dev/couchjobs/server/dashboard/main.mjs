import { html, render } from './html.mjs';
import { App } from './app.mjs';
import { start } from './router.mjs';

start();
const place = document.getElementById('app');
place.replaceChildren();
render(html`<${App} />`, place);
