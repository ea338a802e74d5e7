/** The views behind tabs: a module of its own, loaded when one of them is first opened. */

import type { Panel } from "./views/chapter";
import { ClusterView } from "./views/cluster";
import { FlameView } from "./views/flame";
import { PassesView } from "./views/passes";
import { PlanView } from "./views/plan";
import { RewrittenView } from "./views/rewritten";
import { TrainingView } from "./views/training";

/** How to make each view, by the title of its tab. */
export const views: Readonly<Record<string, new () => Panel>> = {
  "Passes": PassesView,
  "Memory plan": PlanView,
  "to_static": RewrittenView,
  "Training": TrainingView,
  "Profile": FlameView,
  "Cluster": ClusterView,
};
