"""A neuro-symbolic agent.

mind          decides: perceive, then talk or act; check before acting; repair
person        the state that all parts share, and the options
goals         the typed goals of a day; model_goals adds those of a language model
schedule      when each goal is done
days          from one goal to the next, and free time
planner       from goals to tasks to primitives
checks        objections before an action
talks         the turns of a talk, with its sentences in speech
"""
