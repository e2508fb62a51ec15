"""Names of the frameworks' arguments, from their sources, against which job files are tested.

test_framework_names.py compares those of packages with the packages' sources.
"""

from __future__ import annotations

_MEGATRON = """
--adam-beta1 --adam-beta2 --async-save --attention-dropout --bf16 --ckpt-format --clip-grad
--context-parallel-size --data-path --decoder-first-pipeline-num-layers
--decoder-last-pipeline-num-layers --disable-bias-linear --distributed-timeout-minutes
--eval-iters --exit-signal-handler --expert-model-parallel-size --ffn-hidden-size
--fp8-format --global-batch-size --group-query-attention --hidden-dropout --hidden-size
--kv-channels --kv-lora-rank --load --log-interval --log-throughput --lr --lr-decay-style
--lr-warmup-iters --max-position-embeddings --micro-batch-size --min-lr
--moe-ffn-hidden-size --moe-grouped-gemm --moe-layer-freq --moe-router-topk
--moe-shared-expert-intermediate-size --moe-token-dispatcher-type --multi-latent-attention
--normalization --num-attention-heads --num-experts --num-layers
--num-layers-per-virtual-pipeline-stage --num-query-groups --overlap-grad-reduce
--overlap-param-gather --pipeline-model-parallel-size --position-embedding-type
--pretrained-checkpoint
--q-lora-rank --qk-head-dim --qk-pos-emb-head-dim --recompute-granularity --recompute-method
--recompute-num-layers --rotary-base --save --save-interval --seq-length --sequence-parallel
--split --swiglu --tensor-model-parallel-size --tokenizer-model --tokenizer-type
--train-iters --untie-embeddings-and-output-weights --use-distributed-optimizer --v-head-dim
--vocab-size --weight-decay
"""
_TORCHTITAN = """
job.config_file job.dump_folder job.description job.print_config job.save_config_file
job.custom_config_module metrics.log_freq metrics.enable_tensorboard
metrics.disable_color_printing metrics.save_tb_folder metrics.save_for_all_ranks
metrics.enable_wandb model.name model.flavor model.hf_assets_path model.tokenizer_path
model.converters model.print_after_conversion optimizer.name optimizer.lr optimizer.beta1
optimizer.beta2 optimizer.eps optimizer.weight_decay optimizer.implementation
optimizer.early_step_in_backward lr_scheduler.warmup_steps lr_scheduler.total_steps
lr_scheduler.decay_ratio lr_scheduler.decay_type lr_scheduler.min_lr_factor training.dataset
training.dataset_path training.local_batch_size training.global_batch_size training.seq_len
training.max_norm training.steps training.enable_cpu_offload training.dtype
training.mixed_precision_param training.mixed_precision_reduce training.gc_freq
training.gc_debug training.dataloader parallelism.data_parallel_replicate_degree
parallelism.data_parallel_shard_degree parallelism.fsdp_reshard_after_forward
parallelism.tensor_parallel_degree parallelism.disable_loss_parallel
parallelism.enable_async_tensor_parallel parallelism.pipeline_parallel_degree
parallelism.module_fqns_per_model_part parallelism.pipeline_parallel_first_stage_less_layers
parallelism.pipeline_parallel_last_stage_less_layers
parallelism.pipeline_parallel_layers_per_stage parallelism.pipeline_parallel_schedule
parallelism.pipeline_parallel_schedule_csv parallelism.pipeline_parallel_microbatch_size
parallelism.pipeline_parallel_expert_parallel_overlap parallelism.context_parallel_degree
parallelism.context_parallel_load_balancer parallelism.context_parallel_rotate_method
parallelism.expert_parallel_degree parallelism.expert_tensor_parallel_degree
parallelism.expert_parallel_comm_backend checkpoint.enable
checkpoint.enable_ft_dataloader_checkpoints checkpoint.folder checkpoint.interval
checkpoint.initial_load_path checkpoint.initial_load_model_only
checkpoint.initial_load_in_hf checkpoint.initial_load_in_hf_quantized
checkpoint.last_save_model_only checkpoint.last_save_in_hf checkpoint.export_dtype
checkpoint.async_mode checkpoint.keep_latest_k checkpoint.load_step
checkpoint.exclude_from_loading checkpoint.enable_first_step_checkpoint
checkpoint.create_seed_checkpoint checkpoint.load_only activation_checkpoint.mode
activation_checkpoint.selective_ac_option
activation_checkpoint.per_op_sac_force_recompute_mm_shapes_by_fqns
activation_checkpoint.early_stop activation_checkpoint.memory_budget
activation_checkpoint.visualize_memory_budget_pareto
activation_checkpoint.preserve_rng_state activation_checkpoint.determinism_check
activation_checkpoint.debug comm.init_timeout_seconds comm.train_timeout_seconds
comm.trace_buf_size comm.save_traces_folder comm.save_traces_file_prefix comm.mode
"""
_TRL = """
--bf16 --bnb_4bit_quant_type --dataset_name --ddp_timeout --disable_tqdm --dtype --fsdp
--fsdp_config --gradient_accumulation_steps --gradient_checkpointing --learning_rate
--load_in_4bit --logging_steps --lora_alpha --lora_dropout --lora_r --lora_target_modules
--lr_scheduler_type --max_length --max_steps --model_name_or_path --output_dir
--per_device_train_batch_size --report_to --save_steps --save_strategy --save_total_limit
--use_bnb_nested_quant --use_peft --warmup_steps
"""

_BRIDGE = """
--recipe --mode --dataset --save_dir --load_dir
checkpoint.async_save checkpoint.ckpt_format checkpoint.most_recent_k checkpoint.save_interval
dataset.data_path dataset.seq_length dataset.split ddp.use_distributed_optimizer
logger.log_interval logger.log_throughput mixed_precision model.context_parallel_size
model.expert_model_parallel_size model.num_layers_in_first_pipeline_stage
model.num_layers_in_last_pipeline_stage model.pipeline_model_parallel_layout
model.pipeline_model_parallel_size model.recompute_granularity
model.recompute_method model.recompute_num_layers model.sequence_parallel
model.tensor_model_parallel_size model.virtual_pipeline_model_parallel_size optimizer.lr
optimizer.min_lr scheduler.lr_warmup_iters tokenizer.tokenizer_model tokenizer.tokenizer_type
train.exit_signal_handler train.global_batch_size train.micro_batch_size train.train_iters
validation.eval_iters
"""
BRIDGE_PRECISIONS = frozenset(
    {
        "bf16_mixed",
        "bf16_with_fp8_current_scaling_mixed",
        "bf16_with_fp8_delayed_scaling_mixed",
        "bf16_with_fp8_subchannel_scaling_mixed",
        "bf16_with_mxfp8_mixed",
        "bf16_with_nvfp4_mixed",
    }
)
"""Of megatron/bridge/training/mixed_precision.py in megatron-bridge 0.3.1, those with bf16."""
_GPT3 = """
--DDP-impl --adam-beta1 --adam-beta2 --attention-dropout --bf16 --clip-grad
--do-layernorm-bias-weight-decay --eval-interval --eval-iters --exit-interval --ext-iterations
--ext-lr-steps --global-batch-size --hidden-dropout --hidden-size --init-method-std --load
--log-interval --loss-scale --lr --lr-decay-samples --lr-decay-style --lr-warmup-samples
--max-position-embeddings --merge-file --micro-batch-size --min-lr --no-load-rng
--no-query-key-layer-scaling --no-scaled-init --no-seq-len-plus-one-tokens
--num-attention-heads --num-layers --pipeline-model-parallel-size --recompute-activations
--seed --seq-length --sequence-parallel --split --tensor-model-parallel-size
--train-data-path --train-samples --use-distributed-checkpointing --use-ext-ckpt
--valid-data-path --vocab-file --weight-decay
"""
_LLAMA31 = """
--account --continual_ckpt_path --eval_every --eval_tokens --gbs --gpus_per_node --host --image
--initial_ckpt_path --job_dir --max_steps --mbs --mounts --nodes --num_exps --num_pars
--partition --resume_from_hf --seeds --size --target_log_ppl --time --tokenizer_path --use_ckpt
--user
"""
_NXD = """
--batch_size --checkpoint_dir --checkpoint_freq --data_dir --grad_accum_usteps --kv_replicator
--loading_step --logging_interval --lr --max_steps --metrics_file --model_path
--num_kept_checkpoint --output_dir --qkv_linear --selective_checkpoint_enabled --seq_len
--sequence_parallel_enabled --steps_this_run --tensor_parallel_size --use_mix_precision
--use_zero_1 --warmup_steps
"""

MEGATRON = frozenset(_MEGATRON.split())
"""Of NVIDIA/Megatron-LM, main of 2026-08-22: those that templates and the planner use."""
BRIDGE = frozenset(_BRIDGE.split())
"""Of NVIDIA-NeMo/Megatron-Bridge, main of 2026-08-22: options of scripts/training/run_recipe.py,
and fields of ConfigContainer (training/config.py, and Megatron-LM's megatron/training/config)."""
GPT3 = frozenset(_GPT3.split())
"""Of mlcommons/training, main of 2026-07-27: retired_benchmarks/gpt3/megatron-lm/megatron/
arguments.py."""
LLAMA31_405B = frozenset(_LLAMA31.split())
"""Of mlcommons/training, main of 2026-07-27: large_language_model_pretraining/nemo,
get_parser of pretrain_llama31.py."""
LLAMA31_8B = LLAMA31_405B | {"--max_lr", "--run_slurm", "--start_eval_at", "--warmup_steps"}
"""As before, small_llm_pretraining/nemo."""
TORCHTITAN = frozenset(_TORCHTITAN.split())
"""Of the package torchtitan 0.2.2, config/job_config.py."""
TRL = frozenset(_TRL.split())
"""Of `trl.scripts.sft.make_parser`, trl 1.16.0 with transformers 5.24.0: those that are used."""
VLLM = frozenset(
    {
        "--headless",
        "--host",
        "--master-addr",
        "--master-port",
        "--max-model-len",
        "--nnodes",
        "--node-rank",
        "--pipeline-parallel-size",
        "--port",
        "--served-model-name",
        "--tensor-parallel-size",
    }
)
"""Of the package vllm 0.33.0: those that the template uses; compared with vllm-tpu 0.32.0."""
TORCHTITAN_COMMAND = frozenset(
    {
        "--checkpoint.enable",
        "--checkpoint.folder",
        "--checkpoint.interval",
        "--checkpoint.keep_latest_k",
        "--compile.backend",
        "--compile.enable",
        "--config",
        "--dump_folder",
        "--metrics.log_freq",
        "--module",
        "--training.steps",
    }
)
"""Of the package torchtitan 0.3.0, which has no configuration files: those that are used."""
NXD = frozenset(_NXD.split())
"""Of aws-neuron/neuronx-distributed, examples/training/llama/tp_zero1_llama_hf_pretrain/
tp_zero1_llama_hf_pretrain.py: those that the template uses. No package has it."""
